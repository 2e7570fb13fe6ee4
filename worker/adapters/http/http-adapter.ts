import { createGuardedFetch, type OpenAnswer } from "../../../shared/platform/net/guarded-fetch.ts";
import { sign, type SignedHeaders } from "../../../shared/platform/net/sign.ts";
import { type FaultClass, TargetFault } from "../../../shared/platform/net/target-fault.ts";
import type { AgentFrame, ExitFrame, Frame } from "../../channel/frame-schema.ts";
import type { Adapter, AgentRequest } from "../adapter.ts";
import { refuse, toStdin } from "../read-command.ts";
import { readAnswer } from "./read-response.ts";

export type HttpOptions = {
  allowCidrs: string[];
  /** Returns the secrets that sign a user's requests, the newest first. They are those of the user's callbacks. */
  secretsOf: (userId: string) => Promise<string[]>;
  /** Returns the time of the signature, by the clock of Postgres. */
  now: () => Promise<Date>;
};

/** How many characters of a failed answer the error repeats. */
const excerptLength = 2_000;
/** At most this many bytes are read of an ignored body. */
const dropLength = 64 * 1024;
const done: ExitFrame = { type: "exit", code: 0, signal: null, limit: null, cpu_ms: null, max_rss_bytes: null };

/**
 * Runs an agent that is served at its author's URL: POSTs the request there, signed as callbacks are, and reads the answer
 * (Server-Sent Events, JSON lines, JSON or text) as the agent's output. After a 202 the run goes on until it is completed
 * through the API. An abort closes the connection. Private addresses are refused unless CALLBACK_ALLOW_CIDRS allows them.
 */
export function createHttpAdapter({ allowCidrs, secretsOf, now }: HttpOptions): Adapter & { close(): Promise<void> } {
  const fetch = createGuardedFetch(allowCidrs);
  return {
    async *run(request, signal) {
      if (request.url === null) return yield* refuse("no_entrypoint", "The agent's config names no `url`.");
      const body = JSON.stringify({
        ...toStdin(request),
        env: request.env,
        files: { ...request.code, ...request.files },
      });
      const [at, secrets] = await Promise.all([now(), secretsOf(request.user_id)]);
      const signed = sign({ id: `${request.run_id}.${request.attempt}`, body }, at, secrets);
      const headers = headersOf(request, signed);
      yield { type: "started", warm: false };
      try {
        yield* conclude(await fetch.open(request.url, { headers, body, signal }), signal);
      } catch (error) {
        if (!signal.aborted) yield fault("ConnectionFault", messageOf(error));
      }
      yield done;
    },
    close: () => fetch.close(),
  };
}

function headersOf({ run_id, env }: AgentRequest, signed: SignedHeaders): Record<string, string> {
  return {
    "content-type": "application/json",
    accept: "text/event-stream, application/x-ndjson, application/json, text/plain",
    "user-agent": "runfleet-agent",
    "x-run-id": run_id,
    ...(env["TRACEPARENT"] === undefined ? {} : { traceparent: env["TRACEPARENT"] }),
    ...signed,
  };
}

async function* conclude(answer: OpenAnswer, signal: AbortSignal): AsyncGenerator<Frame> {
  if (answer.status === 202) {
    await drop(answer);
    return await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
  }
  if (answer.status < 200 || answer.status > 299) {
    const message = `The agent answered ${answer.status}: ${await excerpt(answer)}`;
    return yield fault(`Http${answer.status}`, message);
  }
  let hasOutcome = false;
  for await (const frame of readAnswer(answer)) {
    hasOutcome ||= frame.type === "result" || frame.type === "error" || frame.type === "interrupt";
    yield frame;
  }
  if (!hasOutcome) yield { type: "result", result_content: null };
}

/** Reads and ignores a body, up to `dropLength`. */
async function drop({ body }: OpenAnswer): Promise<void> {
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > dropLength) break;
  }
}

async function excerpt({ body }: OpenAnswer): Promise<string> {
  let text = "";
  for await (const chunk of body) {
    text += Buffer.from(chunk).toString("utf8");
    if (text.length > excerptLength) break;
  }
  return text.slice(0, excerptLength);
}

function fault(error_type: string, message: string): AgentFrame {
  return { type: "error", code: "agent_error", error_type, message, traceback: null };
}

const reasons: Record<Exclude<FaultClass, "blocked" | "protocol">, string> = {
  timeout: "its server did not answer in time",
  dns: "its host name can't be resolved",
  connect: "its server refuses connections, or can't be found",
  tls: "its certificate can't be trusted, or it doesn't speak TLS",
};

function messageOf(error: unknown): string {
  if (!(error instanceof TargetFault)) return "The agent could not be reached: the connection broke.";
  if (error.class === "blocked")
    return "The agent could not be reached: blocked, since its address is private or reserved.";
  if (error.class === "protocol") return "The agent's answer is no HTTP, or the connection broke.";
  return `The agent could not be reached: ${reasons[error.class]}.`;
}
