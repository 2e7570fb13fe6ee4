import type { Config } from "../../platform/config/load-config.ts";
import type { JsonSchemas } from "../../platform/json-schema/json-schemas.ts";
import type { RunStreams } from "../../platform/stream/run-streams.ts";
import type { ExecuteRequest } from "../../schemas/execute-request.ts";
import type { ResolvedVersion } from "../../store/agents/resolve-version.ts";
import type { Db } from "../../store/client.ts";
import { type JobRow, jobToRequest } from "../../store/jobs/job-columns.ts";
import { wakeDaemon } from "../daemons/wake-daemon.ts";
import { chooseVersion } from "./choose-version.ts";
import type { QueueLimiter } from "../runs/check-queue-limits.ts";
import { orSkipped, type Skipped } from "./skip-tick.ts";

export type TickDeps = {
  config: Pick<Config, "auth" | "encryptionKeys" | "perUser" | "queue">;
  db: Db;
  jsonSchemas: JsonSchemas;
  streams: RunStreams;
  room: QueueLimiter;
};

/** What the ticks of a job run now. */
export type PreparedTicks = { request: ExecuteRequest; version: ResolvedVersion };

/**
 * Checks a job's request as an execute request is checked, and starts the agent's daemon for a daemon's message. Throws the same
 * errors. Call it outside of a transaction: the check by the agent's schema may wait for others, and a daemon's start takes
 * another connection.
 */
export async function prepareTicks(deps: TickDeps, job: JobRow): Promise<PreparedTicks> {
  const request = jobToRequest(deps.config.encryptionKeys, job);
  const version = await chooseVersion(deps, request, job.user_id);
  if (request.lifecycle === "daemon") await wakeDaemon(deps, { agent_id: job.agent_id, ...version });
  return { request, version };
}

/** Reserves room in the queue for a tick's run. Resolves to `prepared`, or to why the tick makes no run. */
export const reserveTick = async (
  { room }: Pick<TickDeps, "room">,
  job: JobRow,
  prepared: PreparedTicks | Skipped,
): Promise<PreparedTicks | Skipped> =>
  "reason" in prepared ? prepared : orSkipped(room.reserve(job).then(() => prepared));
