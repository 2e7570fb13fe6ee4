import type {
  CallAnswer,
  CallAsked,
  CallEnded,
  FromGateway,
  LeftCall,
  RecordedAnswer,
  ToGateway,
  ToKeeper,
} from "../shared/schemas/gateway.ts";
import { unansweredCall } from "../shared/domain/connection/unanswered-call.ts";

/** Where calls are asked for and told of. */
export type WorkerClient = {
  /** Asks the worker whether a call of a sandbox's run may leave. Returns the call's number for `end`. `gone`: nobody waits for it any more. */
  ask(
    id: number,
    run: { run_id: string; attempt: number },
    asked: CallAsked,
    gone: AbortSignal,
  ): Promise<{ call: number; answer: CallAnswer }>;
  /** Has an answer kept. Returns false when it can't be: the run goes on elsewhere. */
  keep(call: number, answer: RecordedAnswer): Promise<boolean>;
  /** The client has gone before it had the answer. */
  leave(call: number): void;
  end(call: number, ended: CallEnded): void;
  /** Takes the worker's answers. */
  hear(message: Extract<ToGateway, { kind: "call_answered" | "call_kept" | "call_written" }>): void;
  /**
   * The worker has died. What comes of the calls that have left is told by `tell` from now on, and no other call may leave. Returns how many
   * those are.
   */
  handOver(tell: (message: ToKeeper) => void): number;
};

/** A call that has left, until what became of it is in the store. */
type Left = LeftCall & { startedAt: number; answer: RecordedAnswer | null; ended: CallEnded | null };

const unavailable = { kind: "refused", status: 503, code: "unavailable" } as const;
const workerGone: CallAnswer = { ...unavailable, reason: "The worker has ended." };
const clientGone: CallAnswer = { ...unavailable, reason: "The call's client has gone." };

export function openWorkerClient(send: (message: FromGateway) => void): WorkerClient {
  const asking = new Map<number, (answer: CallAnswer) => void>();
  const keeping = new Map<number, (isKept: boolean) => void>();
  const left = new Map<number, Left>();
  // A gateway that is started anew doesn't take the numbers of the one before.
  let last = Date.now() * 1_000;
  let tellKeeper: ((message: ToKeeper) => void) | null = null;

  function answered(call: number, by: (answer: CallAnswer) => void): void {
    if (tellKeeper) by(workerGone);
    else asking.set(call, by);
  }

  function tellEnd({ call, startedAt, answer, ended }: Left): void {
    if (ended) tellKeeper?.({ kind: "ended", call, duration_ms: msSince(startedAt), ended, answer });
  }

  /** The worker may still admit the call; it is then reported as ended. */
  function giveUp(call: number): void {
    if (!asking.has(call)) return;
    asking.set(call, ({ kind }) => {
      if (kind !== "refused") send({ kind: "call_ended", call, ended: unansweredCall });
    });
    send({ kind: "call_left", call });
  }

  return {
    async ask(id, { run_id, attempt }, asked, gone) {
      const call = (last += 1);
      const answer = await new Promise<CallAnswer>((resolve) => {
        answered(call, resolve);
        send({ kind: "call_asked", id, call, run_id, attempt, asked });
        const leave = (): void => {
          giveUp(call);
          resolve(clientGone);
        };
        if (gone.aborted) leave();
        else gone.addEventListener("abort", leave, { once: true });
      });
      if (answer.kind === "go") {
        const { number, entry_key: key } = answer;
        const about = { call, run_id, attempt, number, key, asked };
        left.set(call, { ...about, startedAt: performance.now(), answer: null, ended: null });
      }
      return { call, answer };
    },
    keep(call, answer) {
      const found = left.get(call);
      if (found) found.answer = answer;
      const kept = new Promise<boolean>((resolve) => {
        if (tellKeeper) resolve(false);
        else keeping.set(call, resolve);
      });
      send({ kind: "call_finished", call, answer });
      return kept;
    },
    leave: (call) => send({ kind: "call_left", call }),
    end(call, ended) {
      send({ kind: "call_ended", call, ended });
      const found = left.get(call);
      if (!found) return;
      found.ended = ended;
      tellEnd(found);
    },
    hear(message) {
      const { call } = message;
      if (message.kind === "call_written") return void left.delete(call);
      if (message.kind === "call_answered") {
        asking.get(call)?.(message.answer);
        return void asking.delete(call);
      }
      keeping.get(call)?.(message.is_kept);
      keeping.delete(call);
    },
    handOver(tell) {
      tellKeeper = tell;
      for (const resolve of asking.values()) resolve(workerGone);
      for (const resolve of keeping.values()) resolve(false);
      const calls = [...left.values()];
      tell({
        kind: "left",
        calls: calls.map(({ startedAt: _startedAt, answer: _answer, ended: _ended, ...call }) => call),
      });
      for (const call of calls) tellEnd(call);
      return calls.length;
    },
  };
}

const msSince = (startedAt: number): number => Math.round(performance.now() - startedAt);
