import { notFound } from "../../shared/domain/errors/app-error.ts";
import { type QueueName, queueNames, type QueueState } from "../../shared/schemas/admin.ts";
import { readQueues } from "../../shared/store/queues/read-queues.ts";
import type { ApiContext } from "../context.ts";

/** Returns the queues, with the number of nudges in Redis if Redis is reachable. */
export async function readQueueStates({ db, queue }: Pick<ApiContext, "db" | "queue">): Promise<QueueState[]> {
  const [states, nudges] = await Promise.all([readQueues(db), queue.counts().catch(() => null)]);
  return states.map((state) => ({ ...state, nudges: state.name === "runs" ? nudges : null }));
}

export async function readQueueState(ctx: Pick<ApiContext, "db" | "queue">, name: QueueName): Promise<QueueState> {
  const state = (await readQueueStates(ctx)).find((each) => each.name === name);
  if (!state) throw notFound("queue", name);
  return state;
}

export function queueNamed(name: string): QueueName {
  const found = queueNames.find((known) => known === name);
  if (!found) throw notFound("queue", name);
  return found;
}
