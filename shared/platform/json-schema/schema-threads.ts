import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { FaultItem } from "../../domain/errors/validation-fault.ts";
import { createTurns } from "./take-turns.ts";

/** A schema and what it is applied to, as JSON texts; without a value it is compiled only. */
type Question = { schema: string; value: string | null };
export type SchemaAnswer =
  | { faults: FaultItem[] }
  /** The schema can't be used. */
  | { error: string }
  /** It took longer than `deadlineMs`; or it was not tried, since too many of its owner's wait, or were late. */
  | { refused: "late" | "busy" | "slow" };

type Task = Question & { answer: (answer: SchemaAnswer) => void };

export type SchemaThreads = {
  /** Never rejects. `owner`: who wrote the schema; one question of each is under way at a time. */
  ask(owner: string, question: Question): Promise<SchemaAnswer>;
  close(): Promise<void>;
};

const threads = 2;
/** Of one question, on a thread that has nothing else to do. */
export const deadlineMs = 500;
export const turnLimits = { waiting: 64, late: 3, windowMs: 60_000 } as const;
/** A schema that makes its validator larger ends its thread, not the process. */
const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };

/**
 * Applies schemas in threads of their own, so that a pattern that backtracks for years, or a schema that leads in circles,
 * keeps nobody but its owner waiting. A thread that doesn't answer in time is ended and replaced. Threads are started when
 * there is something to do.
 */
export function openSchemaThreads(): SchemaThreads {
  const turns = createTurns<Task>(turnLimits);
  const running = new Set<SchemaThread>();
  const idle = new Set<SchemaThread>();
  let closed = false;

  function work(): void {
    while (!closed && (idle.size > 0 || running.size < threads)) {
      const turn = turns.next();
      if (!turn) return;
      const [thread = start()] = idle;
      idle.delete(thread);
      void askThread(thread, turn.task).then((answer) => finish(turn, thread, answer));
    }
  }

  function finish({ owner, task }: { owner: string; task: Task }, thread: SchemaThread, answer: SchemaAnswer): void {
    const wasLate = "refused" in answer;
    if (wasLate) void thread.worker.terminate();
    else idle.add(thread);
    for (const refused of turns.done(owner, wasLate, performance.now())) refused.answer({ refused: "slow" });
    task.answer(answer);
    work();
  }

  function start(): SchemaThread {
    const worker = new Worker(new URL("schema-thread.mjs", import.meta.url), { resourceLimits });
    const thread = { worker, ready: once(worker, "message").then(() => undefined) };
    running.add(thread);
    // Whoever waits for it sees its end; it ends with the process.
    thread.ready.catch(() => undefined);
    worker.on("error", () => undefined).unref();
    worker.once("exit", () => {
      running.delete(thread);
      idle.delete(thread);
      work();
    });
    return thread;
  }

  return {
    ask(owner, question) {
      return new Promise((answer) => {
        const refused = closed ? "busy" : turns.add(owner, { ...question, answer }, performance.now());
        if (refused) answer({ refused });
        else work();
      });
    },
    async close() {
      closed = true;
      await Promise.all([...running].map(({ worker }) => worker.terminate()));
    },
  };
}

/** `ready` resolves when it has begun to listen, and rejects when it can't. */
type SchemaThread = { worker: Worker; ready: Promise<void> };

/** Never rejects. The time of a thread's start doesn't count. */
async function askThread({ worker, ready }: SchemaThread, { schema, value }: Question): Promise<SchemaAnswer> {
  const over = new AbortController();
  const { signal } = over;
  // The process stays until the answer is there, and goes while nobody waits for one.
  worker.ref();
  try {
    await ready;
    const gone = once(worker, "exit", { signal }).then(() => late);
    const answer = once(worker, "message", { signal }).then(([message]) => message as SchemaAnswer);
    worker.postMessage({ schema, value });
    return await Promise.race([answer, gone, sleep(deadlineMs, late, { signal })]);
  } catch {
    return late;
  } finally {
    worker.unref();
    over.abort();
  }
}

const late = { refused: "late" } as const;
