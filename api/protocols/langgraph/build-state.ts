import { isTerminal } from "../../../shared/domain/run/run-status.ts";
import type { PastState } from "../../../shared/schemas/thread.ts";
import type { ThreadHead } from "../../../shared/store/threads/read-heads.ts";
import { toInterrupt } from "./interrupts.ts";
import type { Values } from "./grow-values.ts";
import { valuesAfter, valuesOf } from "./thread-values.ts";
import type { ThreadView } from "./thread-view.ts";
import { addValues } from "./values.ts";

/** Returns a thread's values now. The input of a run that has not succeeded counts, as its messages are not stored yet. */
export function headValues(view: ThreadView): Values {
  const { head, turns } = view;
  const { run_id, status, input_payload } = head;
  const isStored = status === null || status === "success" || turns.some((turn) => turn.run_id === run_id);
  const values = valuesOf(view, head.state_snapshot);
  return isStored || input_payload === null ? values : addValues(values, input_payload, `${run_id}-in`);
}

const toCheckpoint = (thread_id: string, checkpoint_id: string) => ({
  thread_id,
  checkpoint_ns: "",
  checkpoint_id,
  checkpoint_map: null,
});

/** Returns the id of a thread's newest state: that of its last run. A thread without runs has the state that was set. Null: none. */
export function headId({ thread, head, turns }: ThreadView): string | null {
  return head.run_id ?? (head.state_snapshot !== null || turns.length > 0 ? thread.id : null);
}

type Facts = { id: string | null; parent: string | null; values: Values; created_at: string; agent_id: string | null };

function toState({ thread }: ThreadView, { id, parent, values, created_at, agent_id }: Facts) {
  return {
    values,
    next: [] as string[],
    tasks: [] as object[],
    metadata: {
      source: id === thread.id ? "update" : "loop",
      parents: {},
      thread_id: thread.id,
      ...(id === null || id === thread.id ? {} : { run_id: id }),
      ...(agent_id === null ? {} : { graph_id: agent_id, assistant_id: agent_id }),
    },
    created_at,
    checkpoint: id === null ? null : toCheckpoint(thread.id, id),
    parent_checkpoint: parent === null ? null : toCheckpoint(thread.id, parent),
  };
}

type LangGraphState = ReturnType<typeof toState>;

/** A thread's newest state. While a run has not ended it is the next step; its question is the step's task. */
export function toHeadState(view: ThreadView, parent: string | null): LangGraphState {
  const { thread, head } = view;
  const at = head.completed_at ?? head.created_at;
  const created_at = at?.toISOString() ?? thread.updated_at;
  const facts = { id: headId(view), parent, values: headValues(view), created_at, agent_id: head.agent_id };
  return { ...toState(view, facts), ...stepOf(head) };
}

/** Returns the step of a run that has not succeeded. */
function stepOf({ run_id, agent_id, status, error, interrupts }: ThreadHead) {
  if (run_id === null || agent_id === null || status === null || status === "success" || status === "cancelled")
    return {};
  const isOver = isTerminal(status);
  const failure = error && JSON.stringify({ error: error.type ?? error.code, message: error.message });
  const task = {
    id: run_id,
    name: agent_id,
    error: isOver ? failure : null,
    interrupts: interrupts.map(toInterrupt),
    checkpoint: null,
    state: null,
    result: null,
  };
  return { next: isOver ? [] : [agent_id], tasks: [task] };
}

/** Returns the states after ended runs. Each one's parent is the one behind it. */
export function toPastStates(view: ThreadView, states: readonly PastState[]): LangGraphState[] {
  const values = valuesAfter(view, states);
  return states.map(({ id, completed_at }, at) =>
    toState(view, {
      id,
      parent: states[at + 1]?.id ?? null,
      values: values.get(id) ?? {},
      created_at: completed_at,
      agent_id: view.thread.agent_id,
    }),
  );
}
