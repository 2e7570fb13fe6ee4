// An agent that runs on a machine of yours. Start it anywhere: node server.mjs
import { createServer } from "node:http";

const port = Number(process.env.PORT ?? 8700);

async function answer(request, response) {
  let body = "";
  for await (const chunk of request) body += chunk;
  const { input_payload } = JSON.parse(body);
  response.writeHead(200, { "content-type": "application/x-ndjson" });
  const send = (frame) => response.write(`${JSON.stringify(frame)}\n`);
  send({ type: "output", content: `You said: ${input_payload.text}` });
  send({ type: "result", result_content: { length: input_payload.text.length } });
  response.end();
}

const server = createServer((request, response) => void answer(request, response));
server.listen(port, () => console.log(`listening on ${server.address().port}`));
