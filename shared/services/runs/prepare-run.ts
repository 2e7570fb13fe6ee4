import type { Config } from "../../platform/config/load-config.ts";
import type { ExecuteRequest } from "../../schemas/execute-request.ts";
import type { CopiedEntry } from "../../store/journal/copy-entries.ts";
import type { Owner } from "../../store/owned-by.ts";
import { findDebounced } from "../../store/runs/queue/debounce-run.ts";
import type { NewRun } from "../../store/runs/queue/insert-run.ts";
import type { RepeatKey } from "../../store/users/idempotency-keys.ts";
import { wakeDaemon, type WakeDeps } from "../daemons/wake-daemon.ts";
import { type AcceptableDeps, checkAcceptable } from "./check-acceptable.ts";
import type { CapacityChecker } from "./check-capacity.ts";
import { boundsOf } from "./check-quota.ts";
import { chooseRunId } from "./choose-run-id.ts";
import { newRun } from "./new-run.ts";
import type { CachedVersion, ResolveVersion, VersionCache } from "./version-cache.ts";

export type Origin = {
  owner: Owner;
  /** Who asks for it: the caller's `actor`. Null: the service itself. */
  actor: string | null;
  traceparent: string | null;
  /** Requests with the same key share a run. */
  key: RepeatKey | null;
  /** The hash of what is the same in all requests with the key. Left out: the hash of the execute request. */
  key_hash?: Buffer;
  /** The id of the run whose request is run again. */
  replay_of?: string;
  /** The bulk operation that asks for it. */
  bulk_id?: string;
  /** Returns the journal that the run begins with. */
  begin?: (runId: string) => Promise<CopiedEntry[]>;
  /** The run's metadata. */
  metadata?: Record<string, unknown>;
  /** What happens while a run of the thread has not ended. Left out: what the agent's config says. */
  multitask?: NewRun["multitask"];
};

export type PrepareDeps = AcceptableDeps &
  WakeDeps & {
    config: Pick<Config, "encryptionKeys">;
    versions: VersionCache;
    capacity: CapacityChecker;
  };

/** `replaces`: the row is that of a debounced run that waits, with the request of the later one. */
export type PreparedRun = NewRun & { replaces: boolean };

/**
 * Returns the row of the run that a request asks for, after all checks. The agent's version may come from the cache; Postgres
 * checks its revision when the row is inserted. Starts the agent's daemon for a daemon's message.
 */
export async function prepareRun(
  deps: PrepareDeps,
  resolve: ResolveVersion,
  request: ExecuteRequest,
  origin: Origin,
): Promise<PreparedRun> {
  const version = await chooseAcceptable(deps, resolve, request, origin.owner);
  const { agent_id, run_id: given = null } = request;
  const debounced = request.debounce?.key;
  const waiting = debounced === undefined ? null : await findDebounced(deps.db, agent_id, debounced);
  // A debounced request may always make a run of its own: it repeats none by its key.
  const key = debounced === undefined ? origin.key : null;
  const next = { user_id: version.user_id, agent_id, run_id: given, key };
  // A request that replaces a waiting one takes no more room.
  const { position, bounds } =
    waiting === null ? await deps.capacity.reserve(next) : { position: null, bounds: boundsOf(null) };
  // Before the commit, so that a committed message has a daemon that can take it.
  if (request.lifecycle === "daemon") await wakeDaemon(deps, { agent_id, ...version });
  const run_id = waiting ?? (await chooseRunId(deps.db, request, { key, key_hash: origin.key_hash }));
  const run = newRun(deps.config.encryptionKeys, {
    request,
    version,
    run_id,
    position,
    bounds,
    traceparent: origin.traceparent,
    by: origin.actor,
    origin: origin.replay_of === undefined ? "api" : "replay",
    replay_of: origin.replay_of ?? null,
    bulk_id: origin.bulk_id,
    metadata: origin.metadata,
    multitask: origin.multitask,
  });
  const beginning = await origin.begin?.(run_id);
  return { ...run, ...(beginning && { beginning }), replaces: waiting !== null };
}

/** Checks the request against the cached version. A refusal counts only if the version in Postgres is the same. */
async function chooseAcceptable(
  deps: PrepareDeps,
  resolve: ResolveVersion,
  request: ExecuteRequest,
  owner: Owner,
): Promise<CachedVersion> {
  let seen: CachedVersion | null = null;
  const resolveAndNote: ResolveVersion = async (...args) => {
    const found = await resolve(...args);
    if (!("missing" in found)) seen = found;
    return found;
  };
  try {
    return await checkAcceptable(deps, resolveAndNote, request, owner);
  } catch (error) {
    const refused = seen as CachedVersion | null;
    if (!refused?.cached) throw error;
    const current = await deps.versions.resolveUncached(request.agent_id, request.version, owner);
    if (!("missing" in current) && current.revision === refused.revision) throw error;
    return checkAcceptable(deps, () => Promise.resolve(current), request, owner);
  }
}
