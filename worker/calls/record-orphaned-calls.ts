import type { PriceTable } from "../../shared/domain/price/model-price.ts";
import type { KeyRing } from "../../shared/platform/config/load-config.ts";
import { type LeftCall, toKeeper, type ToKeeper } from "../../shared/schemas/gateway.ts";
import { insertCall } from "../../shared/store/calls/insert-call.ts";
import { appendLateAnswer } from "../../shared/store/calls/append-late-response.ts";
import { keepReading, type OpenCall } from "../../shared/store/calls/calls-in-flight.ts";
import type { Db } from "../../shared/store/client.ts";
import { untilPostgresAnswers } from "../../shared/store/until-postgres-answers.ts";
import { answerOfBroken } from "./broken-call.ts";
import { countCall, lostCall, rowOf } from "./call-row.ts";
import { sealAnswer } from "./recorded-calls.ts";

type Deps = { db: Db; keyRing: KeyRing; prices: PriceTable };
type Ended = Omit<Extract<ToKeeper, { kind: "ended" }>, "kind" | "call">;

const keepReadingEveryMs = 3_000;

/**
 * Writes what became of the calls that a worker had under way when it died, and keeps their answers for the next attempts. Ends
 * with the lines. Returns how many calls there were, and how many answers were kept.
 */
export async function recordOrphanedCalls(
  { db, keyRing, prices }: Deps,
  lines: AsyncIterable<string>,
): Promise<{ calls: number; kept: number }> {
  const open = new Map<number, LeftCall>();
  const writing: Promise<boolean>[] = [];
  let calls = 0;

  const say = (): void => {
    const named = [...open.values()].flatMap(namedOf);
    if (named.length > 0) keepReading(db, named).catch(() => undefined);
  };

  /** The row comes first: whoever has the answer finds what it has cost. */
  async function write(left: LeftCall, { ended: end, duration_ms, answer: whole }: Ended): Promise<boolean> {
    const { run_id, attempt, number, key, asked } = left;
    const answer = whole ?? answerOfBroken(asked, end);
    const open_key = answer ? null : key;
    const about = { run_id, attempt, call: number, asked, end, duration_ms, recorded: false, open_key };
    await untilPostgresAnswers(() => insertCall(db, rowOf(about, countCall(prices, asked, end))));
    const [named] = namedOf(left);
    if (!answer || !named || !asked.record) return false;
    const sealed_entry = await sealAnswer(keyRing, named, { path: asked.path, request: asked.record.request }, answer);
    return untilPostgresAnswers(() => appendLateAnswer(db, { ...named, sealed_entry }));
  }

  function end(call: number, ended: Ended): void {
    const left = open.get(call);
    if (!left) return;
    open.delete(call);
    writing.push(write(left, ended).catch(() => false));
  }

  const timer = setInterval(say, keepReadingEveryMs);
  for await (const line of lines) {
    const message = toKeeper.parse(JSON.parse(line));
    if (message.kind === "ended") end(message.call, message);
    else for (const left of message.calls) open.set(left.call, left);
    if (message.kind === "left") calls = message.calls.length;
    if (message.kind === "left") say();
  }
  clearInterval(timer);
  // The gateway has died, too.
  for (const call of open.keys()) end(call, { duration_ms: 0, ended: lostCall, answer: null });
  const written = await Promise.all(writing);
  return { calls, kept: written.filter(Boolean).length };
}

const namedOf = ({ run_id, attempt, number, key }: LeftCall): OpenCall[] =>
  key === null ? [] : [{ run_id, attempt, call: number, key }];
