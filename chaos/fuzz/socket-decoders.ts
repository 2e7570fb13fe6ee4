import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { createLog } from "../../shared/platform/log.ts";
import { createGuardedFetch, type GuardedFetch } from "../../shared/platform/net/guarded-fetch.ts";
import { TargetFault } from "../../shared/platform/net/target-fault.ts";
import { type OpenEgress, openEgress } from "../../worker/gateway/open-egress.ts";
import { type Decoder, must } from "./decoder.ts";
import { openListeningSocket } from "./listening-socket.ts";
import { oddAnswers } from "./odd-answers.ts";
import { oddRequests } from "./odd-requests.ts";

const atOnce = 24;
const plainAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

const bytesOf = (messages: readonly (readonly [string, string])[]): [Buffer, ...Buffer[]] => [
  Buffer.from(plainAnswer, "latin1"),
  ...messages.map(([, text]) => Buffer.from(text, "latin1")).filter(({ length }) => length < 20_000),
];

/** Opens a target that answers a request for `/<n>` with `answers.get(n)`, and any other request with a plain answer. */
async function openTarget(): Promise<{ server: Server; port: number; answers: Map<number, Buffer> }> {
  const answers = new Map<number, Buffer>();
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.setTimeout(5_000, () => socket.destroy());
    socket.once("data", (head) => {
      const named = Number(/^[A-Z]+ \/(\d+) /.exec(head.toString("latin1"))?.[1]);
      socket.end(answers.get(named) ?? plainAnswer);
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return { server, port: (server.address() as AddressInfo).port, answers };
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
  egress: OpenEgress;
  port: number;
  target: Awaited<ReturnType<typeof openTarget>>;
  close: () => Promise<void>;
};

async function openGateway(): Promise<Gateway> {
  const target = await openTarget();
  const allow = [`127.0.0.1:${target.port}`];
  const options = { log_level: "error", allow_hosts: allow, allow_cidrs: ["127.0.0.0/8"] };
  const script = pathToFileURL(resolve("dist/gateway/main.js"));
  const egress = openEgress({ script, options, log: createLog("fuzz", "error") });
  const { port, socket } = await openListeningSocket();
  egress.open(allow).take(socket);
  const plain = `GET http://127.0.0.1:${target.port}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
  const answered = async (): Promise<boolean> => (await exchange(port, plain, 10_000)).endsWith("ok");
  must(await answered(), "a gateway that answers");
  const pid = egress.gatewayPid();
  return {
    egress,
    port,
    target,
    async close() {
      must(await answered(), "a gateway that answers afterwards");
      must(egress.gatewayPid() === pid, "the same gateway all the time");
      must((await egress.faults()) === 0, "no error in the gateway that its handlers didn't take");
      egress.close();
      target.server.close();
    },
  };
}

/** Requests of a sandbox to its gateway. */
export async function openGatewayRequests(): Promise<Decoder> {
  const { port, target, close } = await openGateway();
  return {
    name: "gateway: requests",
    weight: 30,
    atOnce,
    samples: bytesOf(oddRequests(`127.0.0.1:${target.port}`)),
    async read(input) {
      const answer = await exchange(port, input);
      must(answer === "" || answer.startsWith("HTTP/1.1 "), "an answer in HTTP, or none");
    },
    close,
  };
}

/** Answers of a target to the gateway. */
export async function openGatewayAnswers(): Promise<Decoder> {
  const { port, target, close } = await openGateway();
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
    close,
  };
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
