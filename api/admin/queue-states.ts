import { notFound } from "../../shared/domain/errors/app-error.ts";
import { type QueueName, queueNames, type QueueState } from "../../shared/schemas/admin.ts";
import { readPools } from "../../shared/store/queues/read-pools.ts";
import { readQueues } from "../../shared/store/queues/read-queues.ts";
import type { ApiContext } from "../context.ts";

/** Returns the queues, with the number of nudges in Redis if Redis is reachable. */
export async function readQueueStates({ db, queue }: Pick<ApiContext, "db" | "queue">): Promise<QueueState[]> {
  const [states, nudges] = await Promise.all([readQueues(db), countNudges({ db, queue }).catch(() => null)]);
  return states.map((state) => ({ ...state, nudges: state.name === "runs" ? nudges : null }));
}

/** Of all pools together. */
async function countNudges({ db, queue }: Pick<ApiContext, "db" | "queue">): Promise<Record<string, number>> {
  const counts = await Promise.all((await readPools(db)).map(({ pool }) => queue.counts(pool)));
  const sum: Record<string, number> = {};
  for (const [state, count] of counts.flatMap((each) => Object.entries(each))) sum[state] = (sum[state] ?? 0) + count;
  return sum;
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
