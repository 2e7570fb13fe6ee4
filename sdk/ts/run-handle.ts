import {
  RunCancelledError,
  type RunEndedError,
  RunExpiredError,
  RunFailedError,
  RunInterruptedError,
  RunTimeoutError,
} from "./errors.ts";
import { encodeFiles, type FileContent } from "./files.ts";
import type { Artifact, ExecuteRequest, Run, RunArtifacts, RunEvent, ResumedRun } from "./generated/types.ts";
import { pathSegment } from "./path-segment.ts";
import { readStream, type StreamOptions, type StreamSource } from "./read-stream.ts";
import { type Request, readJson, send, sendOnce, type Service } from "./request.ts";
import { runSource } from "./run-source.ts";
import { RunText } from "./run-text.ts";
import { type EndEvent, isEnd, isEndStatus, type OpenInterrupt, type RunError, type RunStatus } from "./run-types.ts";

/** What a run may be given beside its agent and its input. The names are those of `POST /v1/execute`. */
export type RunOptions = Partial<Omit<ExecuteRequest, "agent_id" | "input_payload" | "files">> & {
  files?: Record<string, FileContent> | undefined;
};

export type TextOptions = Pick<StreamOptions, "signal"> & {
  /** What was given so far is void; the text begins anew. Left out: the void part stays before the new text. */
  onRestart?: (() => void) | undefined;
};

type NewRun = Omit<ExecuteRequest, "files"> & Pick<RunOptions, "files">;
/** `create`: what starts the run. Undefined: the run is there already. */
type Start = { id: string; create?: NewRun | undefined; after?: string | undefined };

/**
 * A run. It starts with the first thing that needs it: reading its events, `start()` or `result()`. The client has made its
 * id, so a request whose answer is lost is sent again and finds the same run.
 */
export class RunHandle implements AsyncIterable<RunEvent> {
  readonly id: string;
  readonly #service: Service;
  readonly #path: string;
  #create: Start["create"];
  #lastEventId: string | undefined;
  #end: EndEvent | null = null;

  constructor(service: Service, { id, create, after }: Start) {
    this.id = id;
    this.#path = `/v1/runs/${pathSegment("run_id", id)}`;
    this.#service = service;
    this.#create = create;
    this.#lastEventId = after;
  }

  /** The id of the last event that was read. `client.attach(id, { after })` goes on after it, in another process too. */
  get lastEventId(): string | undefined {
    return this.#lastEventId;
  }

  [Symbol.asyncIterator](): AsyncGenerator<RunEvent> {
    return this.events();
  }

  /**
   * Yields the run's events after the last one that this handle has read, until the run ends or waits for an answer. A cut
   * stream is resumed. Leaving the loop or aborting `signal` stops reading, and not the run.
   */
  async *events({ signal }: Pick<StreamOptions, "signal"> = {}): AsyncGenerator<RunEvent> {
    if (this.#end) return;
    const source: StreamSource<RunEvent> = { ...runSource, open: (last, cut) => this.#open(last, cut) };
    for await (const { id, event } of readStream(source, { after: this.#lastEventId, signal })) {
      this.#lastEventId = id ?? this.#lastEventId;
      if (isEnd(event)) this.#end = event;
      yield event;
    }
  }

  /** Yields the run's text as it comes, each thing once: see `onRestart`. */
  async *text({ signal, onRestart }: TextOptions = {}): AsyncGenerator<string> {
    const machine = new RunText();
    const give = function* ({ text, isAnew }: { text: string; isAnew: boolean }): Generator<string> {
      if (isAnew) onRestart?.();
      if (text !== "") yield text;
    };
    for await (const event of this.events({ signal })) yield* give(machine.push(event));
    yield* give(machine.end());
  }

  /**
   * Waits for the run's end and returns its result. Throws RunFailedError, RunTimeoutError, RunCancelledError or
   * RunExpiredError, and RunInterruptedError while the run waits for an answer.
   */
  async result<Result = unknown>(options: Pick<StreamOptions, "signal"> = {}): Promise<Result> {
    for (;;) {
      for await (const _event of this.events(options));
      const ending = this.#end ? fromEvent(this.#end) : fromRun(await this.get());
      if (ending.status === "success") return ending.result as Result;
      // A question ends the reading. Somebody may have answered it by now: then the run goes on.
      if (ending.status === "interrupted" || isEndStatus(ending.status)) throw endedError(this.id, ending);
    }
  }

  /** Starts the run without reading it. Returns its record. */
  async start(): Promise<Run> {
    const request = await this.#startRequest();
    const run = await readJson<Run>(this.#service, { ...request, headers: { prefer: "respond-async" } });
    this.#create = undefined;
    return run;
  }

  /** Returns the run's record as it is now. */
  get(): Promise<Run> {
    return readJson(this.#service, { method: "GET", path: this.#path, isRepeatable: true });
  }

  /** Cancels the run. A run that has ended stays as it is. */
  cancel(): Promise<Run> {
    return readJson(this.#service, { method: "POST", path: `${this.#path}/cancel`, isRepeatable: true });
  }

  /** Answers the question of an interrupted run. Its events go on after the question. */
  resume(answer: unknown, interruptId?: string): Promise<ResumedRun> {
    return readJson(this.#service, {
      method: "POST",
      path: `${this.#path}/resume`,
      body: { response: answer, ...(interruptId === undefined ? {} : { interrupt_id: interruptId }) },
      headers: { prefer: "respond-async" },
      isRepeatable: false,
    });
  }

  /** Returns the files that the run has handed out. */
  async artifacts(): Promise<Artifact[]> {
    const path = `${this.#path}/artifacts`;
    const { data } = await readJson<RunArtifacts>(this.#service, { method: "GET", path, isRepeatable: true });
    return data;
  }

  /** Downloads a file that the run has handed out. */
  download({ id }: Pick<Artifact, "id">): Promise<Response> {
    const path = `${this.#path}/artifacts/${pathSegment("artifact_id", id)}`;
    return send(this.#service, { method: "GET", path, isRepeatable: true });
  }

  async #open(last: string | undefined, signal: AbortSignal): Promise<Response> {
    const headers = { accept: "text/event-stream" };
    // Until its first event was read the run may not be there: the request that starts it is repeated, and joins it.
    if (last === undefined && this.#create)
      return sendOnce(this.#service, { ...(await this.#startRequest()), headers, signal });
    this.#create = undefined;
    return sendOnce(this.#service, {
      method: "GET",
      path: `${this.#path}/stream`,
      headers: last === undefined ? headers : { ...headers, "last-event-id": last },
      signal,
      isRepeatable: true,
    });
  }

  async #startRequest(): Promise<Request> {
    const { files, ...create } = this.#create ?? {};
    const body = { ...create, run_id: this.id, ...(files ? { files: await encodeFiles(files) } : {}) };
    return { method: "POST", path: "/v1/execute", body, isRepeatable: true };
  }
}

type Ending = { status: RunStatus; result?: unknown; error: RunError | null; interrupts: OpenInterrupt[] };

const fromEvent = ({ status, result_content, error }: EndEvent): Ending => ({
  status,
  result: result_content,
  error,
  interrupts: [],
});

const fromRun = ({ status, result_content, error, interrupts }: Run): Ending => ({
  status,
  result: result_content,
  error,
  interrupts,
});

const endings: { [status in RunStatus]?: typeof RunEndedError } = {
  timeout: RunTimeoutError,
  cancelled: RunCancelledError,
  expired: RunExpiredError,
};

function endedError(id: string, { status, error, interrupts }: Ending): Error {
  if (status === "interrupted") return new RunInterruptedError(id, interrupts);
  return new (endings[status] ?? RunFailedError)(id, status, error);
}
