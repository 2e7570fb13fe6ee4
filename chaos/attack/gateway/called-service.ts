import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";

/** A call as the service saw it. `tokens`: what it bills for it; 0 without the service's key. */
export type SeenCall = { path: string; key: string; text: string; tokens: number };

/** A provider that agents attack by way of the gateway. */
export type CalledService = { port: number; url: string; key: string; seen: SeenCall[]; close(): void };

/** How long an answer takes, so that calls meet. */
const answerMs = 20;
/** What an answer without a bound costs. */
const unbounded = 1_000_000;

/**
 * Opens one that answers as long as a request lets it, whichever way the request can be read: of a bound that is said twice, or by
 * two names of its protocol, the larger one counts; another protocol's names it ignores. Google's parameters leave the usage out.
 * Below `/echo` it shows its key in all the forms that it can.
 */
export async function openCalledService(key: string): Promise<CalledService> {
  const seen: SeenCall[] = [];
  const server = createServer((req, res) => {
    answer(req, res).catch(() => res.destroy());
  });
  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const path = req.url ?? "";
    const given = keyOf(req);
    const body = await text(req);
    const isBilled = given === key && /(s|Content)$/.test(path.split("?")[0] ?? "");
    const usage = isBilled ? usageOf(body, path) : { input: 0, output: 0 };
    const isMasked = /[?&](\$?fields|callback)=/.test(path) || req.headers["x-goog-fieldmask"] !== undefined;
    seen.push({ path, key: given, text: body, tokens: usage.input + usage.output });
    if (given !== key) return void res.writeHead(401).end('{"error":{"message":"wrong key"}}');
    if (path.includes("/echo")) return echo(res, path, key);
    await sleep(answerMs);
    res.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(isMasked ? {} : completion(usage)));
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    ...{ port, url: `http://127.0.0.1:${port}`, key, seen },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

const keyOf = ({ headers }: IncomingMessage): string =>
  String(headers.authorization?.replace(/^Bearer /i, "") ?? headers["x-api-key"] ?? headers["x-goog-api-key"] ?? "");

type Usage = { input: number; output: number };

/** The names that a protocol has for an answer's length. */
const lengthNames: readonly [RegExp, string][] = [
  [/\/responses/, "max_output_tokens"],
  [/\/messages/, "max_tokens"],
  [/Content/, "maxOutputTokens|max_output_tokens"],
  [/./, "max_tokens|max_completion_tokens"],
];

function usageOf(body: string, path: string): Usage {
  const all = (names: string): number[] =>
    [...body.matchAll(new RegExp(`"(?:${names})"\\s*:\\s*(\\d+)`, "g"))].map(([, found]) => Number(found));
  const bounds = all(lengthNames.find(([ofPath]) => ofPath.test(path))?.[1] ?? "");
  const answers = Math.max(1, ...all("n|best_of|candidateCount|candidate_count"));
  return {
    input: Buffer.byteLength(body) >> 2,
    output: answers * (bounds.length > 0 ? Math.max(...bounds) : unbounded),
  };
}

const completion = ({ input, output }: Usage): object => ({
  ...{ id: "1", object: "chat.completion", created: 1, model: "gpt-5-mini" },
  choices: [{ index: 0, message: { role: "assistant", content: "as asked" }, finish_reason: "stop" }],
  candidates: [{ index: 0, content: { role: "model", parts: [{ text: "as asked" }] }, finishReason: "STOP" }],
  usage: { prompt_tokens: input, completion_tokens: output, input_tokens: input, output_tokens: output },
  usageMetadata: { promptTokenCount: input, candidatesTokenCount: output, totalTokenCount: input + output },
});

/** In a field, as text, in JSON, compressed, and a byte at a time. */
function echo(res: ServerResponse, path: string, key: string): void {
  if (path.endsWith("/field"))
    return void res.writeHead(200, { "x-seen": `Bearer ${key}`, "set-cookie": key }).end("{}");
  if (path.endsWith("/json"))
    return void res.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ said: { key } }));
  if (path.endsWith("/gzip"))
    return void res.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(`it is ${key}.`));
  if (path.endsWith("/error")) return void res.writeHead(401).end(`{"error":{"message":"Incorrect key: ${key}"}}`);
  res.writeHead(200, { "content-type": "text/event-stream" });
  const bytes = `data: ${key}\n\n`;
  let at = 0;
  const write = (): void => {
    if (at === bytes.length) return void res.end();
    res.write(bytes[at]);
    at += 1;
    setImmediate(write);
  };
  write();
}
