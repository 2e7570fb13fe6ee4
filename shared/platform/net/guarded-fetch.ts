import { Agent, type Dispatcher, request } from "undici";
import { withTimeLimit } from "../lifecycle/with-time-limit.ts";
import { checkTargetUrl } from "./address-guard.ts";
import { guardedLookup, resolveName, type ResolveName } from "./guarded-lookup.ts";
import { type FaultClass, faultClassOf, TargetFault } from "./target-fault.ts";

const connectTimeoutMs = 5_000;
const longestAnswer = 64 * 1024;
/** The longest pause between two chunks of an answer. */
const silenceMs = 600_000;

export type Post = { headers: Record<string, string>; body: string; timeoutMs: number; signal?: AbortSignal };
export type Answer = { status: number; retryAfter: string | null };

/** An answer whose body is read as it comes. A missing header is "". */
export type OpenAnswer = {
  status: number;
  contentType: string;
  contentEncoding: string;
  body: AsyncIterable<Uint8Array>;
};

export type GuardedFetch = {
  /**
   * Sends one POST and returns the answer's head, whatever its status. Redirects aren't followed and the body is ignored.
   * Throws TargetFault when no answer comes within `timeoutMs`, or when `signal` aborts.
   */
  post(url: string, post: Post): Promise<Answer>;
  /**
   * Sends one POST and returns the answer, whose body may take any time; `signal` ends it. Throws TargetFault when there is
   * no answer. The body throws TargetFault when the connection breaks, or when nothing comes for 10 minutes.
   */
  open(
    url: string,
    request: { headers: Record<string, string>; body: string; signal: AbortSignal },
  ): Promise<OpenAnswer>;
  close(): Promise<void>;
};

/** Sends requests to untrusted targets: to public addresses and those of `allowCidrs` only. Uses no proxy. */
export function createGuardedFetch(allowCidrs: string[], resolve: ResolveName = resolveName): GuardedFetch {
  const connect = { timeout: connectTimeoutMs, lookup: guardedLookup(allowCidrs, resolve) };
  // Without pipelining (0) each request has a connection of its own: no connection is stale, and each address is checked.
  const agent = new Agent({ pipelining: 0, connect });
  return {
    async post(url, post) {
      // undici calls `lookup` for names only, so literal addresses are checked here.
      const target = checkTargetUrl(url, allowCidrs);
      if ("fault" in target) throw new TargetFault("blocked");
      const limit = { ms: post.timeoutMs, signals: post.signal ? [post.signal] : [] };
      return withTimeLimit(limit, (stop) => send(agent, target.url, post, stop));
    },
    async open(url, { headers, body, signal }) {
      const target = checkTargetUrl(url, allowCidrs);
      if ("fault" in target) throw new TargetFault("blocked");
      // The run's deadline bounds the time until the answer begins.
      const patience = { headersTimeout: 0, bodyTimeout: silenceMs };
      try {
        const sent = { method: "POST" as const, headers, body, dispatcher: agent, signal, ...patience };
        const answer = await request(target.url, sent);
        return {
          status: answer.statusCode,
          contentType: String(answer.headers["content-type"] ?? ""),
          contentEncoding: String(answer.headers["content-encoding"] ?? ""),
          body: namingFaults(answer.body),
        };
      } catch (error) {
        throw new TargetFault(faultClassOf(error), { cause: error });
      }
    },
    close: () => agent.destroy(),
  };
}

async function* namingFaults(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw new TargetFault(faultClassOf(error), { cause: error });
  }
}

async function send(agent: Dispatcher, url: URL, { headers, body }: Post, stop: AbortSignal): Promise<Answer> {
  try {
    const answer = await request(url, { method: "POST", headers, body, dispatcher: agent, signal: stop });
    // A fault of the body is ignored: the answer's head has come, so the message was received.
    await answer.body.dump({ limit: longestAnswer, signal: stop }).catch(() => undefined);
    const retryAfter = answer.headers["retry-after"];
    return { status: answer.statusCode, retryAfter: typeof retryAfter === "string" ? retryAfter : null };
  } catch (error) {
    const reason: FaultClass = stop.aborted ? "timeout" : faultClassOf(error);
    throw new TargetFault(reason, { cause: error });
  }
}
