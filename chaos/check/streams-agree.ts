import { compareEventIds, type EventId, follows, parseEventId } from "../../shared/domain/run/event-id.ts";
import { isTerminalEvent } from "../../shared/domain/run/run-status.ts";
import type { History, SeenEvent } from "../drive/history.ts";
import type { Evidence } from "./evidence.ts";

const enderMs = 2_000;

/** A transcript has no gap, and exactly one terminal event, which is its last event. */
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

/** Over all its connections, a client saw no gap, no event twice or out of order, and the run's end. */
export function historiesAreGapless({ histories }: Evidence): string[] {
  return histories.flatMap((history) => {
    const { run_id, events, ended, oddities } = history;
    const fault = faultOfOrder(events) ?? faultOfRetries(events);
    const faults = [...oddities, ...(fault ? [fault] : []), ...(ended ? [] : ["its stream never ended"])];
    return faults.map((what) => `${run_id}: ${what}`);
  });
}

/**
 * A client saw exactly the events of the transcript. There are two exceptions, both for discarded attempts while Redis was
 * broken. The client may have seen more: the last second, which Redis lost together with a worker that had not written it to
 * the transcript. Or less: events that a frozen Redis took after its readers had continued with the transcript.
 */
export function historiesEqualTranscripts(evidence: Evidence): string[] {
  return evidence.histories.flatMap((history) => {
    const lossy = wasRedisStruck(history.run_id, evidence) || wasEnderStruck(history.run_id, evidence);
    const fault = compare(history, evidence.transcripts.get(history.run_id) ?? [], lossy);
    return fault ? `${history.run_id}: ${fault}` : [];
  });
}

/** True when Redis was broken between a run's first transition and its last. */
function wasRedisStruck(runId: string, { struck, transitions }: Evidence): boolean {
  const moves = transitions.get(runId) ?? [];
  const [first, last] = [moves[0]?.at_ms ?? 0, moves.at(-1)?.at_ms ?? 0];
  return struck.some(({ target, from, to }) => target === "redis" && from < last && to > first);
}

/** True when a worker was killed just after the run was given up: it may not have saved the rest of the last attempt. */
function wasEnderStruck(runId: string, { struck, transitions, runs }: Evidence): boolean {
  if (runs.get(runId)?.error_code !== "worker_lost") return false;
  const end = transitions.get(runId)?.at(-1)?.at_ms ?? 0;
  return struck.some(({ fault, from }) => fault === "worker_kill" && from > end && from < end + enderMs);
}

/** Returns how many events clients saw that the transcript does not have; see above. */
export function countUnkept({ histories, transcripts }: Evidence): number {
  return histories.reduce((sum, { run_id, events }) => {
    const stored = new Set((transcripts.get(run_id) ?? []).map(({ id }) => id));
    return sum + events.filter(({ id, type }) => type !== "gap" && !stored.has(id)).length;
  }, 0);
}

/** Returns how many events of transcripts a client that read the whole run has not seen; see above. */
export function countMissed({ histories, transcripts }: Evidence): number {
  return histories.reduce((sum, { run_id, events }) => {
    const seen = new Set(events.filter(({ type }) => type !== "gap").map(({ id }) => id));
    return sum + (transcripts.get(run_id) ?? []).filter(({ id }) => !seen.has(id)).length;
  }, 0);
}

function compare({ events }: History, transcript: SeenEvent[], lossy: boolean): string | null {
  const stored = new Map(transcript.map((event) => [event.id, event]));
  const seenEvents = events.filter(({ type }) => type !== "gap");
  const seen = new Set(seenEvents.map(({ id }) => id));
  const last = parse(transcript.at(-1)?.id ?? "").attempt;
  const isBinding = (id: string): boolean => !lossy || parse(id).attempt === last;
  for (const event of seenEvents) {
    const other = stored.get(event.id);
    if (!other && isBinding(event.id)) return `saw ${event.id}, which isn't in the transcript`;
    if (other && (other.data !== event.data || other.type !== event.type))
      return `saw another ${event.id} than the transcript's`;
  }
  const missed = transcript.find(({ id }) => !seen.has(id) && isBinding(id));
  return missed ? `missed ${missed.id}` : null;
}

/** Returns what is wrong with the order of a run's events; null when nothing is. */
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

/** The first event of a later attempt says which attempt it discards, or up to where that one stands, unless the attempt only ends the run. */
function faultOfRetries(events: readonly SeenEvent[]): string | null {
  const starts = events.filter(({ type }) => type === "run.started");
  for (const [place, { id, data }] of starts.entries()) {
    const { discards, keeps } = JSON.parse(data) as { discards?: { attempt: number }; keeps?: string };
    if (place > 0 && discards?.attempt === undefined && keeps === undefined)
      return `${id} doesn't say that it discards what came before`;
  }
  return null;
}

function parse(id: string): EventId {
  return parseEventId(id) ?? { attempt: -1, seq: -1 };
}
