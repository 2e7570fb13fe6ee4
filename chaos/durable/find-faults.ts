import type pg from "pg";
import { type EventId, parseEventId } from "../../shared/domain/run/event-id.ts";
import { voidedBy } from "../../shared/domain/run/void-events.ts";
import type { Execution, Told } from "./execute-program.ts";
import { programs } from "./programs.ts";

/** What a client shows at the end: the words that stand, lane by lane. */
export type Shown = { ended: string; result: string; lanes: string };

const placeOf = ({ id }: Told): EventId => parseEventId(id) ?? { attempt: 0, seq: 0 };

/** Returns what a run said and what stands of it. */
export function standingWords(events: readonly Told[]): unknown[] {
  let said: Told[] = [];
  for (const event of events) {
    if (event.event === "run.started" || event.event === "step.retrying") {
      const isVoid = voidedBy(event.data);
      said = said.filter((earlier) => !isVoid(placeOf(earlier)));
    }
    if (event.event === "custom" || event.event === "output.delta") said.push(event);
  }
  return said.map(({ data }) => data["value"] ?? data["content"]);
}

/** Returns a sentence for each step that began again after it had ended well. */
export function faultsOfSteps(events: readonly Told[]): string[] {
  const done = new Set<unknown>();
  return events.flatMap(({ event, data }) => {
    if (event === "step.end" && data["ok"] === true) done.add(data["key"]);
    return event === "step.start" && done.has(data["key"])
      ? [`step ${String(data["key"])} ran again after its end`]
      : [];
  });
}

export function shownOf(events: readonly Told[]): Shown {
  const words = standingWords(events) as { lane: string }[];
  const last = events.at(-1);
  return {
    ended: last?.event ?? "nothing",
    result: JSON.stringify(last?.data["result_content"] ?? last?.data["error"]),
    lanes: JSON.stringify([...groupByLane(words)].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
}

function groupByLane(words: readonly { lane: string }[]): Map<string, { lane: string }[]> {
  const lanes = new Map<string, { lane: string }[]>();
  for (const word of words) lanes.set(word.lane, [...(lanes.get(word.lane) ?? []), word]);
  return lanes;
}

/** What a run did other than the run of the same program that nothing disturbed. */
export function faultsOf(name: string, { run_id, events, ...inputs }: Execution, quiet: Shown | undefined): string[] {
  const shown = shownOf(events);
  const { notes = 0 } = programs[name] ?? {};
  const compared = notes > 0 ? (["ended", "lanes"] as const) : (["ended", "result", "lanes"] as const);
  const faults = [
    ...faultsOfSteps(events),
    ...compared
      .filter((part) => shown[part] !== quiet?.[part])
      .map((part) => `${part} is ${shown[part].slice(0, 2_000)} instead of ${quiet?.[part]?.slice(0, 2_000)}`),
    ...(notes > 0 ? faultsOfNotes(events, inputs) : []),
  ];
  return faults.map((fault) => `${name} ${run_id}: ${fault}`);
}

/** Each note that was accepted was taken once, or is listed as untaken. */
function faultsOfNotes(
  events: readonly Told[],
  { accepted, untaken }: Pick<Execution, "accepted" | "untaken">,
): string[] {
  const { taken = [] } = (events.at(-1)?.data["result_content"] ?? {}) as { taken?: unknown[] };
  const isSound = new Set(taken).size === taken.length && taken.every((note) => accepted.includes(note));
  if (isSound && taken.length + untaken === accepted.length) return [];
  return [`of the notes ${accepted.join()} it took ${taken.join()}, and ${untaken} are listed as untaken`];
}

/** Each run's entries have places of their own, without a gap from the first one on. A run that goes on as a fresh one begins behind the earlier ones. */
export async function faultsOfPlaces(sql: pg.Pool): Promise<string[]> {
  const { rows } = await sql.query<{ run_id: string }>(
    `SELECT run_id FROM journal_entries JOIN run_journals USING (run_id) GROUP BY run_id, last_place
     HAVING count(*) <> last_place + 1 - min(place) OR max(place) <> last_place OR count(DISTINCT place) <> count(*)
       OR (min(place) <> 1 AND NOT bool_or(kind = 'continued'))`,
  );
  return rows.map(({ run_id }) => `${run_id}: its entries aren't numbered one after the other`);
}

/** Each call that starts a run has started one, however often its run began. */
export async function faultsOfChildren(sql: pg.Pool): Promise<string[]> {
  const { rows } = await sql.query<{ id: string; agent_id: string; children: number; calls: number }>(
    `SELECT parent.id, parent.agent_id, count(child.id)::int AS children, count(DISTINCT child.parent_key)::int AS calls
     FROM runs parent LEFT JOIN runs child ON child.parent_run_id = parent.id
     WHERE parent.status = 'success' GROUP BY parent.id`,
  );
  return rows
    .filter(({ agent_id, children, calls }) => children !== calls || calls !== (programs[agent_id]?.children ?? 0))
    .map(({ id, agent_id, children, calls }) => `${agent_id} ${id}: ${children} runs of ${calls} calls`);
}
