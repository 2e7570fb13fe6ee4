// An agent that runs on a machine of yours. Start it anywhere: RUNFLEET_CALLBACK_SECRET=whsec_… node server.mjs
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const port = Number(process.env.PORT ?? 8700);
const secret = process.env.RUNFLEET_CALLBACK_SECRET;
if (!secret) throw new Error("RUNFLEET_CALLBACK_SECRET is not set: README.md says where it comes from.");
const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
const mostBytes = 32 * 1024 * 1024;

/** Returns true when Runfleet signed the request within the last five minutes: https://www.standardwebhooks.com */
function isSigned({ headers }, body) {
  if (!(Math.abs(Date.now() / 1000 - Number(headers["webhook-timestamp"])) <= 300)) return false;
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  const expected = createHmac("sha256", key).update(signed).digest();
  return String(headers["webhook-signature"])
    .split(" ")
    .map((signature) => Buffer.from(signature.replace(/^v1,/, ""), "base64"))
    .some((given) => given.length === expected.length && timingSafeEqual(given, expected));
}

/** Returns the body as text. Throws where it is too long, and the connection is closed. */
async function readBody(request) {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) {
    body += chunk;
    if (body.length > mostBytes) throw new Error(`The body has more than ${mostBytes} bytes.`);
  }
  return body;
}

async function answer(request, response) {
  const body = await readBody(request);
  if (!isSigned(request, body)) return void response.writeHead(401).end();
  const { input_payload } = JSON.parse(body);
  response.writeHead(200, { "content-type": "application/x-ndjson" });
  const send = (frame) => response.write(`${JSON.stringify(frame)}\n`);
  send({ type: "output", content: `You said: ${input_payload.text}` });
  send({ type: "result", result_content: { length: input_payload.text.length } });
  response.end();
}

const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()));
server.listen(port, () => console.log(`listening on ${server.address().port}`));
