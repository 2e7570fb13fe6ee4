import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { FaultItem } from "../../domain/errors/validation-fault.ts";
import { createFairQueue } from "./fair-queue.ts";

/** A schema and a value to check, as JSON texts. Without a value the schema is only compiled. */
type Question = { schema: string; value: string | null };
export type SchemaAnswer =
  | { faults: FaultItem[] }
  /** The schema can't be used. */
  | { error: string }
  /** `late`: the check took longer than `deadlineMs`. Not tried: too many of the owner's checks wait (`busy`) or were late (`slow`). */
  | { refused: "late" | "busy" | "slow" };

type Task = Question & { answer: (answer: SchemaAnswer) => void };

export type SchemaThreads = {
  /** Never rejects. `owner`: the schema's user, of whom one question is under way at a time. */
  ask(owner: string, question: Question): Promise<SchemaAnswer>;
  close(): Promise<void>;
};

const threads = 2;
/** How long one question may take on an idle thread. */
export const deadlineMs = 500;
export const queueLimits = { waiting: 64, late: 3, windowMs: 60_000 } as const;
/** A schema whose validator needs more memory ends its thread, not the process. */
const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };

/**
 * Applies schemas in threads of their own, so that a pattern that backtracks for years, or a circular schema, delays only its
 * own owner. A thread that doesn't answer in time is ended and replaced. Threads are started when they are needed.
 */
export function openSchemaThreads(): SchemaThreads {
  const queue = createFairQueue<Task>(queueLimits);
  const running = new Set<SchemaThread>();
  const idle = new Set<SchemaThread>();
  let closed = false;

  function work(): void {
    while (!closed && (idle.size > 0 || running.size < threads)) {
      const picked = queue.next();
      if (!picked) return;
      const [thread = start()] = idle;
      idle.delete(thread);
      void askThread(thread, picked.task).then((answer) => finish(picked, thread, answer));
    }
  }

  function finish({ owner, task }: { owner: string; task: Task }, thread: SchemaThread, answer: SchemaAnswer): void {
    const wasLate = "refused" in answer;
    if (wasLate) void thread.worker.terminate();
    else idle.add(thread);
    for (const refused of queue.done(owner, wasLate, performance.now())) refused.answer({ refused: "slow" });
    task.answer(answer);
    work();
  }

  function start(): SchemaThread {
    const worker = new Worker(new URL("schema-thread.mjs", import.meta.url), { resourceLimits });
    const thread = { worker, ready: once(worker, "message").then(() => undefined) };
    running.add(thread);
    // `askThread` handles a thread that can't start.
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
        const refused = closed ? "busy" : queue.add(owner, { ...question, answer }, performance.now());
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

/** `ready` resolves when the thread takes questions, and rejects when it can't start. */
type SchemaThread = { worker: Worker; ready: Promise<void> };

/** Never rejects. The time of a thread's start doesn't count. */
async function askThread({ worker, ready }: SchemaThread, { schema, value }: Question): Promise<SchemaAnswer> {
  const over = new AbortController();
  const { signal } = over;
  // The thread keeps the process alive only while a question is under way.
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
