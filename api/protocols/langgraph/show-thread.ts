import type { ThreadHead } from "../../../shared/store/threads/read-heads.ts";
import { headValues } from "./build-state.ts";
import { toInterrupt } from "./interrupts.ts";
import type { ThreadView } from "./thread-view.ts";

/** The interrupts of a thread, by the task that asked. A run is a task. */
const interruptsOf = ({ run_id, interrupts }: ThreadHead) =>
  run_id === null || interrupts.length === 0 ? {} : { [run_id]: interrupts.map(toInterrupt) };

/** A thread in LangGraph's form. */
export function toThread(view: ThreadView): Record<string, unknown> {
  const { thread, head } = view;
  const { agent_id } = thread;
  const graph = agent_id === null ? {} : { graph_id: agent_id, assistant_id: agent_id };
  return {
    thread_id: thread.id,
    created_at: thread.created_at,
    updated_at: thread.updated_at,
    state_updated_at: thread.updated_at,
    metadata: { ...graph, ...thread.metadata },
    status: thread.status,
    config: {},
    values: headValues(view),
    interrupts: interruptsOf(head),
    error:
      thread.status === "error" && head.error ? `${head.error.type ?? head.error.code}: ${head.error.message}` : null,
  };
}
