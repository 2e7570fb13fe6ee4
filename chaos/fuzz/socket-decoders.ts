import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { createLog } from "../../shared/platform/log.ts";
import { createGuardedFetch, type GuardedFetch } from "../../shared/platform/net/guarded-fetch.ts";
import { TargetFault } from "../../shared/platform/net/target-fault.ts";
import { openEgress } from "../../worker/gateway/open-egress.ts";
import { type Decoder, must } from "./decoder.ts";
import { fuzzedCalls, fuzzedSecret } from "./fuzzed-calls.ts";
import { openListeningSocket } from "./listening-socket.ts";
import { oddAnswers } from "./odd-answers.ts";
import { oddRequests } from "./odd-requests.ts";

const atOnce = 24;
const plainAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

const asBytes = (text: string): Buffer => Buffer.from(text, "latin1");

const bytesOf = (messages: readonly (readonly [string, string])[]): [Buffer, ...Buffer[]] => [
  asBytes(plainAnswer),
  ...messages.map(([, text]) => asBytes(text)).filter(({ length }) => length < 20_000),
];

type Target = { server: Server; port: number; answers: Map<number, Buffer>; heads: string[] };

/**
 * Opens a target that answers a request for `/<n>` with `answers.get(n)`, and any other request with a plain answer. `heads`: the
 * last requests that it heard.
 */
async function openTarget(): Promise<Target> {
  const answers = new Map<number, Buffer>();
  const heads: string[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.setTimeout(5_000, () => socket.destroy());
    socket.once("data", (head) => {
      const text = head.toString("latin1");
      heads.push(text);
      if (heads.length > 100) heads.shift();
      const named = Number(/^[A-Z]+ \/(\d+)[ /]/.exec(text)?.[1]);
      socket.end(answers.get(named) ?? plainAnswer);
    });
  });
  await once(server.listen(0, "0.0.0.0"), "listening");
  return { server, port: (server.address() as AddressInfo).port, answers, heads };
}

/** After this silence the client closes its direction of the connection. */
const patienceMs = 25;

/** Sends all bytes, and waits until the other side has closed. */
function exchange(port: number, request: Buffer | string, waitMs = patienceMs): Promise<string> {
  return new Promise((done) => {
    let text = "";
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    const patience = setTimeout(() => socket.end(), waitMs);
    socket.on("data", (part: Buffer) => {
      text += text.length < 10_000 ? part.toString("latin1") : "";
      patience.refresh();
    });
    socket.on("close", () => {
      clearTimeout(patience);
      done(text);
    });
    socket.write(request);
  });
}

type Gateway = {
  memoryBeside(): number;
  port: number;
  target: Target;
  close: () => Promise<void>;
};

async function openGateway(): Promise<Gateway> {
  const target = await openTarget();
  const allow = [`127.0.0.1:${target.port}`];
  // The connection's service has another address: what goes to its host is a call.
  const service = `127.0.0.2:${target.port}`;
  const options = { log_level: "error", allow_hosts: [...allow, service], allow_cidrs: ["127.0.0.0/8"] };
  const script = pathToFileURL(resolve("dist/gateway/main.js"));
  const keeper = pathToFileURL(resolve("dist/worker/keeper.js"));
  const egress = openEgress({ script, keeper, options, log: createLog("fuzz", "error") });
  const { port, socket } = await openListeningSocket();
  const listener = egress.open(allow);
  listener.take(socket);
  listener.beginRun(fuzzedCalls(`http://${service}`));
  const plain = `GET http://127.0.0.1:${target.port}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
  const answered = async (): Promise<boolean> => (await exchange(port, plain, 10_000)).endsWith("ok");
  must(await answered(), "a gateway that answers");
  const pid = egress.gatewayPid();
  return {
    port,
    target,
    memoryBeside: () => residentBytes(pid),
    async close() {
      must(await answered(), "a gateway that answers afterwards");
      must(egress.gatewayPid() === pid, "the same gateway all the time");
      must((await egress.faults()) === 0, "no error in the gateway that its handlers didn't take");
      egress.close();
      target.server.close();
    },
  };
}

/** Returns 0 for a process that is gone. */
function residentBytes(pid: number | null): number {
  try {
    const [, kib = "0"] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "latin1")) ?? [];
    return Number(kib) * 1024;
  } catch {
    return 0;
  }
}

/** Requests of a sandbox to its gateway. */
export async function openGatewayRequests(): Promise<Decoder> {
  const { port, target, ...gateway } = await openGateway();
  return {
    name: "gateway: requests",
    weight: 30,
    atOnce,
    samples: bytesOf(oddRequests(`127.0.0.1:${target.port}`)),
    async read(input) {
      const answer = await exchange(port, input);
      must(answer === "" || answer.startsWith("HTTP/1.1 "), "an answer in HTTP, or none");
    },
    ...gateway,
  };
}

/** Answers of a target to the gateway. */
export async function openGatewayAnswers(): Promise<Decoder> {
  const { port, target, ...gateway } = await openGateway();
  let last = 0;
  return {
    name: "gateway: answers",
    weight: 20,
    atOnce,
    samples: bytesOf(oddAnswers),
    async read(input) {
      const id = (last += 1);
      target.answers.set(id, input);
      const answer = await exchange(
        port,
        `GET http://127.0.0.1:${target.port}/${id} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
      );
      target.answers.delete(id);
      must(/^(HTTP\/1\.1 [2-5]\d\d |$)/.test(answer), "an answer in HTTP, or none");
    },
    ...gateway,
  };
}

const chat = '{"model":"m","stream":true,"max_tokens":5,"messages":[{"role":"user","content":"x"}]}';
const post = (path: string, body: string, fields = ""): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\n${fields}Content-Length: ${body.length}\r\n\r\n${body}`;

/** Calls of a sandbox's run to a service. */
export async function openGatewayCalls(): Promise<Decoder> {
  const { port, target, ...gateway } = await openGateway();
  const at = `http://127.0.0.1:${target.port}`;
  const odd = oddRequests(`127.0.0.1:${target.port}`).map(
    ([name, text]) => [name, text.replaceAll(at, "/own")] as const,
  );
  const calls = ["/own/chat/completions", "/own/v1/messages", "/own/../x", "/own/responses?key=x", "/other/x"];
  return {
    name: "gateway: calls",
    weight: 30,
    atOnce,
    samples: bytesOf([
      ...odd,
      ...calls.map((path) => ["a call", post(path, chat, "Authorization: Bearer x\r\nCookie: a=b\r\n")] as const),
      ...calls.map((path) => ["a call without a key", post(path, chat)] as const),
    ]),
    async read(input) {
      const answer = await exchange(port, input);
      must(answer === "" || answer.startsWith("HTTP/1.1 "), "an answer in HTTP, or none");
      must(!answer.includes(fuzzedSecret), "no key in an answer");
      for (const head of target.heads.splice(0)) {
        // What goes to the target by its address, and not by the connection, has no key.
        const keys = head.split("\r\n\r\n")[0]?.match(/^authorization: .*$/gim) ?? [];
        must(!head.includes(fuzzedSecret) || keys.length === 1, "one key in a call");
      }
    },
    ...gateway,
  };
}

/** Answers of a service to the gateway, to a call that is recorded or not. */
export async function openServiceAnswers(): Promise<Decoder> {
  const { port, target, ...gateway } = await openGateway();
  let last = 0;
  const ok = (type: string, body: string): string =>
    `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  return {
    name: "gateway: services' answers",
    weight: 30,
    atOnce,
    samples: bytesOf([
      ...oddAnswers,
      ["a stream", ok("text/event-stream", eventsOf("x"))],
      ["a stream that echoes", ok("text/event-stream", eventsOf(`x${fuzzedSecret}y`))],
      ["JSON that echoes", ok("application/json", `{"model":"m","usage":{"prompt_tokens":1},"key":"${fuzzedSecret}"}`)],
      [
        "an error that echoes",
        `HTTP/1.1 401 No ${fuzzedSecret}\r\nX-Key: ${fuzzedSecret}\r\nContent-Length: 0\r\n\r\n`,
      ],
      ["chunks that echo", `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${inChunks(fuzzedSecret)}0\r\n\r\n`],
    ]),
    async read(input, random) {
      const id = (last += 1);
      target.answers.set(id, input);
      const path = random.chance(0.5) ? "chat/completions" : "files";
      const answer = await exchange(port, post(`/own/${id}/${path}`, chat, "Connection: close\r\n"), 2_000);
      target.answers.delete(id);
      must(/^(HTTP\/1\.1 [2-5]\d\d |$)/.test(answer), "an answer in HTTP, or none");
      must(!`${answer}${bodyOf(answer)}`.includes(fuzzedSecret), "no key in an answer");
    },
    ...gateway,
  };
}

const eventsOf = (said: string): string =>
  `data: {"model":"m","choices":[{"delta":{"content":"${said}"}}]}\n\ndata: {"choices":[],"usage":{"prompt_tokens":1}}\n\ndata: [DONE]\n\n`;

const inChunks = (text: string): string => [...text].map((one) => `1\r\n${one}\r\n`).join("");

/** Returns an answer's body, joined of its chunks. */
function bodyOf(answer: string): string {
  const at = answer.indexOf("\r\n\r\n");
  const [head, framed] = [answer.slice(0, at), answer.slice(at + 4)];
  if (!/^transfer-encoding: chunked\r?$/im.test(head)) return framed;
  let body = "";
  for (let from = 0; ;) {
    const end = framed.indexOf("\r\n", from);
    const size = end === -1 ? 0 : Number.parseInt(framed.slice(from, end), 16);
    if (!(size > 0)) return body;
    body += framed.slice(end + 2, end + 2 + size);
    from = end + 4 + size;
  }
}

/** Answers of a callback's receiver, or of a remote agent, to this process. */
export async function openFetchAnswers(): Promise<Decoder> {
  const { server, port, answers } = await openTarget();
  const fetch: GuardedFetch = createGuardedFetch(["127.0.0.0/8"]);
  let last = 0;
  return {
    name: "receivers' answers",
    weight: 20,
    atOnce,
    samples: bytesOf(oddAnswers),
    async read(input, random) {
      const id = (last += 1);
      answers.set(id, input);
      const url = `http://127.0.0.1:${port}/${id}`;
      try {
        if (random.chance(0.5)) await fetch.post(url, { headers: {}, body: "{}", timeoutMs: 900 });
        else
          for await (const _chunk of (
            await fetch.open(url, { headers: {}, body: "{}", signal: AbortSignal.timeout(900) })
          ).body)
            continue;
      } catch (error) {
        if (!(error instanceof TargetFault)) throw error;
      } finally {
        answers.delete(id);
      }
    },
    async close() {
      await fetch.close();
      server.close();
    },
  };
}
