import { useCallback, useState, useSyncExternalStore } from "react";
import { StreamLostError } from "./errors.ts";
import type { RunEvent } from "./generated/types.ts";
import { isTransient } from "./request.ts";
import type { RunHandle, RunOptions } from "./run-handle.ts";
import { isEnd, type OpenInterrupt, type RunError, type RunStatus } from "./run-types.ts";
import type { ThreadHandle } from "./thread-handle.ts";
import { Transcript } from "./transcript.ts";
import { wait } from "./wait.ts";

/** A run as it is shown. */
export type RunView = {
  status: RunStatus;
  /** The events that stand. */
  events: readonly RunEvent[];
  /** The text that stands. */
  text: string;
  result: unknown;
  error: RunError | null;
  /** The questions that wait for an answer. */
  interrupts: OpenInterrupt[];
  /** Why the run can't be read. What may pass is tried again. */
  failure: unknown;
  /** Answers the question of the run, and goes on reading it. */
  resume(answer: unknown): Promise<void>;
};

const nothing: RunView = {
  status: "queued",
  events: [],
  text: "",
  result: undefined,
  error: null,
  interrupts: [],
  failure: null,
  resume: () => Promise.reject(new Error("There is no run to answer.")),
};

/** Reads a run while a component shows it, and renders the component when the run goes on. */
export function useRun(run: RunHandle | null): RunView {
  const store = run ? storeOf(run) : noRun;
  return useSyncExternalStore(store.subscribe, store.view, store.view);
}

/** Gives the runs that this component has sent to a thread, oldest first. Each is shown by `useRun`. */
export function useThread(thread: ThreadHandle): {
  runs: readonly RunHandle[];
  send(input: Record<string, unknown>, options?: RunOptions): RunHandle;
} {
  const [runs, setRuns] = useState<readonly RunHandle[]>([]);
  const send = useCallback(
    (input: Record<string, unknown>, options?: RunOptions) => {
      const run = thread.send(input, options);
      setRuns((earlier) => [...earlier, run]);
      return run;
    },
    [thread],
  );
  return { runs, send };
}

type Store = { subscribe: (onChange: () => void) => () => void; view: () => RunView };

const noRun: Store = { subscribe: () => () => undefined, view: () => nothing };

/** A run has one store, whatever components show it and however often React mounts them. */
const stores = new WeakMap<RunHandle, Store>();

function storeOf(run: RunHandle): Store {
  const store = stores.get(run) ?? createStore(run);
  stores.set(run, store);
  return store;
}

/** Many events are one rendering. */
const renderMs = 16;
/** How long after a question, which somebody else may answer, and after a failure the run is read again. */
const againMs = 5_000;

function createStore(run: RunHandle): Store {
  const transcript = new Transcript();
  const readers = new Set<() => void>();
  let view: RunView = { ...nothing, resume };
  let failure: unknown = null;
  let reading: AbortController | null = null;
  let timer: ReturnType<typeof setTimeout> | null = null;

  function show(): void {
    timer = null;
    view = { ...describe(transcript.events), events: [...transcript.events], text: transcript.text, failure, resume };
    for (const notify of readers) notify();
  }
  const showSoon = (): void => {
    timer ??= setTimeout(show, renderMs);
  };

  /** Goes on after the last event that was read. Returns true when more may come. */
  async function read(signal: AbortSignal): Promise<boolean> {
    try {
      for await (const event of run.events({ signal })) {
        transcript.push(event);
        failure = null;
        showSoon();
      }
    } catch (error) {
      if (signal.aborted) return false;
      failure = error;
      showSoon();
      return error instanceof StreamLostError || isTransient(error);
    }
    const last = transcript.events.at(-1);
    return last === undefined || !isEnd(last);
  }

  async function follow(signal: AbortSignal): Promise<void> {
    while (await read(signal)) {
      await wait(againMs, signal).catch(() => undefined);
      if (signal.aborted) return;
    }
  }

  function begin(): void {
    reading?.abort();
    reading = new AbortController();
    void follow(reading.signal);
  }

  async function resume(answer: unknown): Promise<void> {
    await run.resume(answer);
    if (readers.size > 0) begin();
  }

  return {
    view: () => view,
    subscribe(onChange) {
      readers.add(onChange);
      if (!reading) begin();
      return () => {
        readers.delete(onChange);
        if (readers.size > 0) return;
        reading?.abort();
        reading = null;
      };
    },
  };
}

function describe(events: readonly RunEvent[]): Pick<RunView, "status" | "result" | "error" | "interrupts"> {
  const said = events.findLast(({ type }) => type.startsWith("run.") && type !== "run.waiting");
  const described = { result: undefined, error: null, interrupts: [] };
  if (!said || said.type === "run.queued") return { ...described, status: said?.status ?? "queued" };
  if (isEnd(said)) return { ...described, status: said.status, result: said.result_content, error: said.error };
  if (said.type === "run.interrupted") return { ...described, status: "interrupted", interrupts: said.interrupts };
  return { ...described, status: said.type === "run.suspended" ? "suspended" : "running" };
}
