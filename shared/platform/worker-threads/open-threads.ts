import { once } from "node:events";
import { setImmediate as oncePolled, setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { createFairQueue, type FairQueueLimits } from "./fair-queue.ts";

/** `late`: the answer took longer than `deadlineMs`. Not tried: too many of the owner's questions wait (`busy`) or were late (`slow`). */
export type Refusal = { refused: "late" | "busy" | "slow" };

export type Threads<Question, Answer> = {
  /**
   * Never rejects. `owner`: whose question it is. One question of an owner is under way at a time. `isRepeat`: being late doesn't count
   * against the owner again.
   */
  ask(owner: string, question: Question, isRepeat?: boolean): Promise<Answer | Refusal>;
  close(): Promise<void>;
};

type Options = {
  /** A module that posts "ready", and then an answer to each message. */
  program: URL;
  count: number;
  /** How long one question may take on an idle thread. */
  deadlineMs: number;
  queueLimits: FairQueueLimits;
  /** A question that needs more memory ends its thread, not the process. */
  resourceLimits: { maxOldGenerationSizeMb: number; maxYoungGenerationSizeMb: number; stackSizeMb: number };
  /** A thread that wasn't asked for this long is ended. Left out: it stays. */
  idleMs?: number;
};

/**
 * Answers questions whose work is a tenant's own program in threads, so that a question that takes years delays only its own
 * owner. A thread that doesn't answer in time is ended and replaced. Threads are started when they are needed.
 */
export function openThreads<Question, Answer>(options: Options): Threads<Question, Answer> {
  const { program, count, deadlineMs, resourceLimits, idleMs } = options;
  type Task = { question: Question; isRepeat: boolean; answer: (answer: Answer | Refusal) => void };
  const queue = createFairQueue<Task>(options.queueLimits);
  const running = new Set<Thread>();
  const idle = new Set<Thread>();
  let closed = false;

  function work(): void {
    while (!closed && (idle.size > 0 || running.size < count)) {
      const picked = queue.next();
      if (!picked) return;
      const [thread = start()] = idle;
      idle.delete(thread);
      clearTimeout(thread.idleTimer);
      void askThread<Answer>(thread, picked.task.question, deadlineMs).then((answer) => finish(picked, thread, answer));
    }
  }

  function finish({ owner, task }: { owner: string; task: Task }, thread: Thread, answer: Answer | typeof late): void {
    const wasLate = answer === late;
    if (wasLate) void thread.worker.terminate();
    else rest(thread);
    for (const refused of queue.done(owner, wasLate && !task.isRepeat, performance.now()))
      refused.answer({ refused: "slow" });
    task.answer(answer);
    work();
  }

  function rest(thread: Thread): void {
    idle.add(thread);
    if (idleMs === undefined) return;
    thread.idleTimer = setTimeout(() => {
      idle.delete(thread);
      void thread.worker.terminate();
    }, idleMs).unref();
  }

  function start(): Thread {
    const worker = new Worker(program, { resourceLimits });
    const thread = { worker, ready: once(worker, "message").then(() => undefined), idleTimer: undefined };
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
    ask(owner, question, isRepeat = false) {
      return new Promise((answer) => {
        const refused = closed ? "busy" : queue.add(owner, { question, isRepeat, answer }, performance.now());
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
type Thread = { worker: Worker; ready: Promise<void>; idleTimer: NodeJS.Timeout | undefined };

const late = { refused: "late" } as const;

/** Never rejects. The time of a thread's start doesn't count. */
async function askThread<Answer>(
  { worker, ready }: Thread,
  question: unknown,
  deadlineMs: number,
): Promise<Answer | typeof late> {
  const over = new AbortController();
  const { signal } = over;
  // The thread keeps the process alive only while a question is under way.
  worker.ref();
  try {
    await ready;
    const gone = once(worker, "exit", { signal }).then(() => late);
    const answer = once(worker, "message", { signal }).then(([message]) => message as Answer);
    worker.postMessage(question);
    // Where this thread stood still, the timer is served before an answer that has come meanwhile.
    const expired = sleep(deadlineMs, undefined, { signal }).then(() => oncePolled(late));
    return await Promise.race([answer, gone, expired]);
  } catch {
    return late;
  } finally {
    worker.unref();
    over.abort();
  }
}
