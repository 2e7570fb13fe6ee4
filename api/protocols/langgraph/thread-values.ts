import type { PastState } from "../../../shared/schemas/thread.ts";
import type { ThreadMessageRow } from "../../../shared/store/threads/read-newest-messages.ts";
import { type GrowingValues, growValues, type Values } from "./grow-values.ts";
import type { ThreadView } from "./thread-view.ts";
import { addState } from "./values.ts";

type Turns = Pick<ThreadView, "turns" | "outputs">;

/** Returns the values that messages of a thread make. */
export function valuesOf({ turns, outputs }: Turns, snapshot: string | null): Values {
  const growing = growValues();
  for (const [at, turn] of turns.entries()) addTurn(growing, turn, at, outputs);
  return addState(growing.copy(), snapshot);
}

/** Returns the values after each of some ended runs, by run. One walk through the messages makes them all. */
export function valuesAfter({ turns, outputs }: Turns, states: readonly PastState[]): ReadonlyMap<string, Values> {
  const growing = growValues();
  const inTime = turns.toSorted((one, other) => one.created_at.getTime() - other.created_at.getTime());
  let at = 0;
  const values = new Map<string, Values>();
  for (const { id, completed_at, state_snapshot } of states.toSorted(byEnd)) {
    const ended = new Date(completed_at);
    for (let turn = inTime[at]; turn && turn.created_at <= ended; turn = inTime[at]) {
      addTurn(growing, turn, at, outputs);
      at += 1;
    }
    values.set(id, addState(growing.copy(), state_snapshot));
  }
  return values;
}

const byEnd = (one: PastState, other: PastState): number =>
  Date.parse(one.completed_at) - Date.parse(other.completed_at);

/** `at`: which of the thread's messages it is. */
function addTurn(
  growing: GrowingValues,
  { run_id, role, content }: ThreadMessageRow,
  at: number,
  outputs: Turns["outputs"],
): void {
  const place = run_id ?? `message-${at}`;
  if (role === "user") return growing.add(Object(content) as object, `${place}-in`);
  const output = outputs.get(place);
  if (output) growing.addResult(place, output.result, output.said);
  else growing.addResult(place, content);
}

/** Returns the values before a run, for its stream. */
export function valuesBefore(view: ThreadView, run: { id: string; created_at: string }): Values {
  const made = new Date(run.created_at);
  const turns = view.turns.filter(({ run_id, created_at }) => run_id !== run.id && created_at < made);
  return valuesOf({ ...view, turns }, view.head.state_snapshot);
}
