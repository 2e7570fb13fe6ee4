import { makeResources } from "./call-operation.ts";
import type { Resources } from "./generated/operations.ts";
import { randomId } from "./random-id.ts";
import { type Request, send, type Service } from "./request.ts";
import { RunHandle, type RunOptions } from "./run-handle.ts";
import { ThreadHandle } from "./thread-handle.ts";

export type ClientOptions = {
  /** Where the service is. Left out: RUNFLEET_URL, else http://127.0.0.1:8080. */
  url?: string | undefined;
  /** Left out: RUNFLEET_API_KEY. A service that runs open needs none. */
  apiKey?: string | undefined;
  /** Sends the requests. Left out: the global `fetch`. */
  fetch?: typeof fetch | undefined;
};

type RequestOptions = Pick<Request, "query" | "body" | "headers" | "signal">;

/**
 * A client of one Runfleet service. `run`, `attach` and `thread` give handles; beside them each operation of the service is a
 * method: `client.runs.list({ status: "error" })`, `client.agents.putSecret("asker", "KEY", { value })`.
 */
export type Runfleet = Client & Resources;

class Client {
  readonly url: string;
  readonly #service: Service;

  constructor({ url, apiKey, fetch: given }: ClientOptions = {}) {
    this.url = (url ?? readEnvironment("RUNFLEET_URL") ?? "http://127.0.0.1:8080").replace(/\/+$/, "");
    this.#service = {
      url: this.url,
      apiKey: apiKey ?? readEnvironment("RUNFLEET_API_KEY"),
      fetch: given ?? ((input, init) => globalThis.fetch(input, init)),
    };
    Object.assign(this, makeResources(this.#service));
  }

  /** Returns a run of an agent, by default of its current version. It starts when it is read. */
  run(agent: string, input: Record<string, unknown> = {}, options: RunOptions = {}): RunHandle {
    const { run_id, version = "current", ...more } = options;
    const id = run_id ?? `run_${randomId()}`;
    return new RunHandle(this.#service, { id, create: { ...more, agent_id: agent, version, input_payload: input } });
  }

  /** Returns a run that is there. `after`: the id of the last event that was read of it. */
  attach(runId: string, { after }: { after?: string | undefined } = {}): RunHandle {
    return new RunHandle(this.#service, { id: runId, after });
  }

  /** Sends any request. Returns a good answer. For what has no method of its own. */
  request(method: string, path: string, options: RequestOptions = {}): Promise<Response> {
    const isRepeatable = method !== "POST" || options.headers?.["idempotency-key"] !== undefined;
    return send(this.#service, { method, path, ...options, isRepeatable });
  }

  /** Returns a thread of runs of an agent. The thread is made by its first run. */
  thread(id: string, { agent }: { agent: string }): ThreadHandle {
    return new ThreadHandle((...given) => this.run(...given), { id, agent });
  }
}

/** The constructor assigns the operations. */
export const Runfleet = Client as new (options?: ClientOptions) => Runfleet;

/** Returns undefined for an empty variable, too. There is no environment in a browser. */
function readEnvironment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[name] || undefined;
}
