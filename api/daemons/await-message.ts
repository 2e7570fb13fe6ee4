import { beforeFirst } from "../../shared/domain/run/event-id.ts";
import type { ApiContext } from "../context.ts";
import { awaitRunEnd } from "../stream/await-run-end.ts";

/** Resolves when a message's run has ended, or after `waitMs`. */
export async function awaitMessage(
  { db, hub, leaving }: Pick<ApiContext, "db" | "hub" | "leaving">,
  runId: string,
  waitMs: number,
): Promise<void> {
  if (waitMs === 0) return;
  const wait = { cursor: beforeFirst, fresh: false, ms: waitMs, signals: [leaving] };
  await awaitRunEnd({ db, hub }, runId, hub.open(runId), wait);
}
