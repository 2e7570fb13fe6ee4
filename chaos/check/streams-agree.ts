import { compareEventIds, type EventId, follows, parseEventId } from "../../shared/domain/run/event-id.ts";
import { isTerminalEvent } from "../../shared/domain/run/run-status.ts";
import type { History, SeenEvent } from "../drive/history.ts";
import type { Evidence } from "./evidence.ts";

const enderMs = 2_000;

/** A transcript has no gap, and exactly one terminal event: its last. */
export function transcriptsAreWhole({ runs, transcripts }: Evidence): string[] {
  return [...runs.keys()].flatMap((id) => {
    const events = transcripts.get(id) ?? [];
    const terminal = events.filter(({ type }) => isTerminalEvent(type));
    const fault = faultOfOrder(events);
    if (fault) return `${id}: ${fault}`;
    return terminal.length === 1 && terminal[0] === events.at(-1)
      ? []
      : `${id}: ${terminal.length} terminal events, ends with ${events.at(-1)?.type}`;
  });
}

/** What a client saw over all its connections: no gap, nothing twice, nothing out of order, and the end. */
export function historiesAreGapless({ histories }: Evidence): string[] {
  return histories.flatMap((history) => {
    const { run_id, events, ended, oddities } = history;
    const fault = faultOfOrder(events) ?? faultOfRetries(events);
    const faults = [...oddities, ...(fault ? [fault] : []), ...(ended ? [] : ["its stream never ended"])];
    return faults.map((what) => `${run_id}: ${what}`);
  });
}

/**
 * What a client saw is what the transcript holds, text by text. Only of an attempt that was discarded, and only where Redis
 * was broken, may it have seen more (its last second, when Redis lost it together with the worker that had not written it
 * down yet) or less (what a frozen Redis took in after its readers had gone on by the transcript).
 */
export function historiesEqualTranscripts(evidence: Evidence): string[] {
  return evidence.histories.flatMap((history) => {
    const lossy = wasRedisStruck(history.run_id, evidence) || wasEnderStruck(history.run_id, evidence);
    const fault = compare(history, evidence.transcripts.get(history.run_id) ?? [], lossy);
    return fault ? `${history.run_id}: ${fault}` : [];
  });
}

/** Whether Redis was broken between a run's first move and its last. */
function wasRedisStruck(runId: string, { struck, transitions }: Evidence): boolean {
  const moves = transitions.get(runId) ?? [];
  const [first, last] = [moves[0]?.at_ms ?? 0, moves.at(-1)?.at_ms ?? 0];
  return struck.some(({ target, from, to }) => target === "redis" && from < last && to > first);
}

/** Whether some worker was killed just after one had given the run up: it had the last attempt's rest still to save. */
function wasEnderStruck(runId: string, { struck, transitions, runs }: Evidence): boolean {
  if (runs.get(runId)?.error_code !== "worker_lost") return false;
  const end = transitions.get(runId)?.at(-1)?.at_ms ?? 0;
  return struck.some(({ fault, from }) => fault === "worker_kill" && from > end && from < end + enderMs);
}

/** How many events clients saw that no store has kept; see above. */
export function countUnkept({ histories, transcripts }: Evidence): number {
  return histories.reduce((sum, { run_id, events }) => {
    const stored = new Set((transcripts.get(run_id) ?? []).map(({ id }) => id));
    return sum + events.filter(({ id, type }) => type !== "gap" && !stored.has(id)).length;
  }, 0);
}

/** How many events transcripts hold that a client, which read the run from its beginning to its end, has not seen; see above. */
export function countMissed({ histories, transcripts }: Evidence): number {
  return histories.reduce((sum, { run_id, events }) => {
    const seen = new Set(events.filter(({ type }) => type !== "gap").map(({ id }) => id));
    return sum + (transcripts.get(run_id) ?? []).filter(({ id }) => !seen.has(id)).length;
  }, 0);
}

function compare({ events }: History, transcript: SeenEvent[], lossy: boolean): string | null {
  const stored = new Map(transcript.map((event) => [event.id, event]));
  const told = events.filter(({ type }) => type !== "gap");
  const seen = new Set(told.map(({ id }) => id));
  const last = parse(transcript.at(-1)?.id ?? "").attempt;
  const isBinding = (id: string): boolean => !lossy || parse(id).attempt === last;
  for (const event of told) {
    const other = stored.get(event.id);
    if (!other && isBinding(event.id)) return `saw ${event.id}, which isn't in the transcript`;
    if (other && (other.data !== event.data || other.type !== event.type))
      return `saw another ${event.id} than the transcript's`;
  }
  const missed = transcript.find(({ id }) => !seen.has(id) && isBinding(id));
  return missed ? `missed ${missed.id}` : null;
}

/** What is wrong with the order of a run's events; null when nothing is. */
export function faultOfOrder(events: readonly SeenEvent[]): string | null {
  let last: EventId = { attempt: 0, seq: 0 };
  for (const { id, type } of events) {
    const next = parse(id);
    if (type === "gap") {
      if (compareEventIds(next, last) < 0) return `a gap to ${id} after ${last.attempt}-${last.seq}`;
    } else if (!follows(last, next)) return `${id} came after ${last.attempt}-${last.seq}`;
    last = next;
  }
  return null;
}

/** An attempt that follows another one says so in its first event, unless it does nothing but end the run. */
function faultOfRetries(events: readonly SeenEvent[]): string | null {
  const starts = events.filter(({ type }) => type === "run.started");
  for (const [place, { id, data }] of starts.entries()) {
    const { discards } = JSON.parse(data) as { discards?: { attempt: number } };
    if (place > 0 && discards?.attempt === undefined) return `${id} doesn't say that it discards what came before`;
  }
  return null;
}

function parse(id: string): EventId {
  return parseEventId(id) ?? { attempt: -1, seq: -1 };
}
