import { createHash } from "node:crypto";
import { childLimits } from "../../domain/run/child-limits.ts";
import { AppError } from "../../domain/errors/app-error.ts";
import { ValidationFault } from "../../domain/errors/validation-fault.ts";
import type { Config } from "../../platform/config/load-config.ts";
import { checkPatiently } from "../../platform/json-schema/check-patiently.ts";
import type { JsonSchemas } from "../../platform/json-schema/json-schemas.ts";
import type { RunQueue } from "../../platform/queue/run-queue.ts";
import { executeRequest } from "../../schemas/execute-request.ts";
import { readQuotaState } from "../../store/billing/read-quota-state.ts";
import { resolveVersion } from "../../store/agents/resolve-version.ts";
import { linkChildRuns } from "../../store/children/link-child-runs.ts";
import { readChildrenOf, readChildLimits, versionAt } from "../../store/children/read-child-limits.ts";
import type { Db, Queryable } from "../../store/client.ts";
import { inTransaction } from "../../store/in-transaction.ts";
import { lockHeld } from "../../store/journal/end-waits.ts";
import { insertRunIn, type NewRun } from "../../store/runs/queue/insert-run.ts";
import type { HeldRun } from "../../store/runs/moves/renew-leases.ts";
import { boundsOf, quotaFault } from "../runs/check-quota.ts";
import { checkVersion } from "../runs/check-version.ts";
import { newRun } from "../runs/new-run.ts";

export type ChildDeps = {
  config: Pick<Config, "encryptionKeys">;
  db: Db;
  jsonSchemas: JsonSchemas;
  queue: Pick<RunQueue, "dispatch">;
};

/** A call of a run's code that starts a run. `key`: of the call's entry in the journal. */
export type ChildCall = {
  key: string;
  agent_id: string;
  version: string;
  input_payload: unknown;
  detached: boolean;
  /** Of the runs with the same `group` so many run at once; null: all. */
  concurrency: { group: string; most: number } | null;
  /** What the entry says, but for what the run comes to. */
  sealed_entry: Buffer;
};

/** `isNew`: this call has started it, and not an earlier attempt. `refused`: why it was not started, for the code. */
export type StartedChild =
  | { kind: "started"; run_id: string; isNew: boolean }
  | { kind: "refused"; code: string; message: string };

type Family = NonNullable<Awaited<ReturnType<typeof readChildLimits>>>;

/**
 * Starts the runs that a running attempt's code calls for, and opens the waits for them, in one transaction. A call that has started
 * a run already gets that run. Returns null when the attempt is stale: nothing was written.
 */
export async function startChildren(
  deps: ChildDeps,
  parent: HeldRun,
  calls: readonly ChildCall[],
): Promise<StartedChild[] | null> {
  const { db, queue } = deps;
  const family = await readChildLimits(db, parent);
  if (!family) return null;
  const keys = calls.map(({ key }) => key);
  const known = new Map((await readChildrenOf(db, parent.id, keys)).map((row) => [row.key, row]));
  const quota = await readQuotaState(db, family.user_id);
  const room = roomOf(family);
  const resolve = resolveOnce(deps, parent.id, family.user_id);
  const prepared: ChildPlan[] = [];
  for (const call of calls) {
    const { started = 0, child_id = null } = known.get(call.key) ?? {};
    const reserved = prepared.filter(({ kind }) => kind === "new").length;
    const asked = { parent, room, quota, reserved, call, nth: started + 1 };
    if (child_id === null) prepared.push(await prepare(deps, resolve, asked));
    else prepared.push({ kind: "started", run_id: child_id, isNew: false });
  }
  const rows = prepared.flatMap((one) => (one.kind === "new" ? [one] : []));
  const committed = rows.length === 0 ? new Map<string, StartedChild>() : await commit(db, parent, family, rows);
  if (!committed) return null;
  for (const { run } of rows)
    if (committed.get(run.id)?.kind === "started") void queue.dispatch(run.id, run.pool).catch(() => undefined);
  return prepared.map((one) => (one.kind === "new" ? (committed.get(one.run.id) ?? taken(one.run.id)) : one));
}

const taken = (id: string): StartedChild => ({
  kind: "refused",
  code: "run_id_taken",
  message: `The run id '${id}' belongs to another run.`,
});

type Resolve = (agent_id: string, version: string) => ReturnType<typeof resolveVersion>;

/** Finds each version once. A name means what it meant when the parent was accepted. */
function resolveOnce({ db }: ChildDeps, parentId: string, owner: string): Resolve {
  const found = new Map<string, ReturnType<typeof resolveVersion>>();
  return (agent_id, version) => {
    const key = JSON.stringify([agent_id, version]);
    const known = found.get(key);
    if (known) return known;
    const finding = versionAt(db, agent_id, version, parentId).then((name) =>
      resolveVersion(db, agent_id, name ?? version, owner),
    );
    found.set(key, finding);
    return finding;
  };
}

type NewChild = { kind: "new"; run: NewRun; call: ChildCall };
type ChildPlan = StartedChild | NewChild;

/** Takes a place for one more run. Returns why there is none. */
type Room = () => { code: string; message: string } | null;

function roomOf({ cancelling, depth, children, tree }: Family): Room {
  let [own, all] = [children, tree];
  return () => {
    if (cancelling) return { code: "run_cancelled", message: "The run is cancelled, and starts no more runs." };
    if (depth >= childLimits.depth)
      return { code: "too_deep", message: `A tree of runs goes ${childLimits.depth} levels down at most.` };
    if (own >= childLimits.children)
      return { code: "too_many_children", message: `A run may start ${childLimits.children} runs.` };
    if (all >= childLimits.tree)
      return { code: "too_many_children", message: `A tree of runs may have ${childLimits.tree} runs.` };
    [own, all] = [own + 1, all + 1];
    return null;
  };
}

type ChildRequest = {
  parent: HeldRun;
  call: ChildCall;
  nth: number;
  room: Room;
  quota: Awaited<ReturnType<typeof readQuotaState>>;
  /** How many runs are prepared since `quota` was read. */
  reserved: number;
};

async function prepare(
  deps: ChildDeps,
  resolve: Resolve,
  { parent, call, nth, room, quota, reserved }: ChildRequest,
): Promise<ChildPlan> {
  const full = room();
  if (full) return { kind: "refused", ...full };
  const { agent_id, input_payload, concurrency } = call;
  try {
    const parsed = executeRequest.safeParse({ agent_id, version: call.version, input_payload });
    if (!parsed.success) return { kind: "refused", code: "invalid_input", message: firstFault(parsed.error.issues) };
    const request = { ...parsed.data, ...(concurrency && { concurrency_key: concurrency.group }) };
    const schemas = checkPatiently(deps.jsonSchemas);
    const version = await checkVersion(schemas, request, await resolve(agent_id, request.version));
    const fault = quotaFault(quota, reserved);
    if (fault) throw fault;
    const run = newRun(deps.config.encryptionKeys, {
      ...{ request, version, run_id: childId(parent.id, call.key, nth), bounds: boundsOf(quota), origin: "run" },
      ...{ by: parent.id, traceparent: null, replay_of: null },
    });
    return { kind: "new", call, run: { ...run, key_concurrency: concurrency?.most ?? run.key_concurrency } };
  } catch (error) {
    if (error instanceof AppError) return { kind: "refused", code: error.code, message: error.message };
    if (error instanceof ValidationFault) return { kind: "refused", code: "invalid_input", message: error.message };
    throw error;
  }
}

const firstFault = (issues: readonly { path: PropertyKey[]; message: string }[]): string =>
  issues.map(({ path, message }) => `${path.map(String).join(".")}: ${message}`)[0] ?? "The input is not valid.";

/** The same call has the same id, so that no two attempts can start it twice. `nth`: of the runs that it has started. */
const childId = (parentId: string, key: string, nth: number): string =>
  `run_${createHash("sha256").update(`${parentId}\0${key}\0${nth}`).digest("hex").slice(0, 32)}`;

/** Returns what became of the runs, but for those whose id is taken; null when the attempt is stale. */
async function commit(
  db: Db,
  parent: HeldRun,
  { user_id, root_run_id, depth }: Family,
  rows: readonly NewChild[],
): Promise<Map<string, StartedChild> | null> {
  return inTransaction(db, async (client) => {
    if (!(await lockHeld.first(client, { id: parent.id, attempt: parent.attempt }))) return null;
    const fates = new Map<string, StartedChild>();
    for (const { run } of rows) {
      const fate = await insert(client, run, user_id);
      if (fate) fates.set(run.id, fate);
    }
    const inserted = rows.filter(({ run }) => fates.get(run.id)?.kind === "started");
    const children = inserted.map(({ run, call: { key, detached, sealed_entry } }) => ({
      ...{ child_id: run.id, key, detached, sealed_entry },
    }));
    const { id, attempt } = parent;
    if (children.length > 0) await linkChildRuns(client, { id, attempt, root_run_id, depth: depth + 1 }, children);
    return fates;
  });
}

/** Returns null for an id that is taken. */
async function insert(client: Queryable, run: NewRun, owner: string): Promise<StartedChild | null> {
  try {
    const { kind } = await insertRunIn(client, run, owner);
    return kind === "inserted" ? { kind: "started", run_id: run.id, isNew: true } : null;
  } catch (error) {
    // The plan has no room.
    if (error instanceof AppError) return { kind: "refused", code: error.code, message: error.message };
    throw error;
  }
}
