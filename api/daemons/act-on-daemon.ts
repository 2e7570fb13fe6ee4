import { isDeepStrictEqual } from "node:util";
import type { KeyRing } from "../../shared/platform/config/load-config.ts";
import { envFaults } from "../../shared/domain/agent/env-faults.ts";
import { conflict, notFound } from "../../shared/domain/errors/app-error.ts";
import { userHasMost } from "../../shared/domain/errors/user-has-most.ts";
import { applyCommand, type DaemonCommand } from "../../shared/domain/daemon/control-daemon.ts";
import type { DaemonControlled, DaemonRecord, DaemonSettings } from "../../shared/schemas/daemon.ts";
import { open, seal } from "../../shared/platform/secrets/seal.ts";
import { sealedFields } from "../../shared/platform/secrets/sealed-fields.ts";
import { resolveVersion } from "../../shared/store/agents/resolve-version.ts";
import { changeDaemon, type DaemonChange, type StandingRow } from "../../shared/store/daemons/change-daemon.ts";
import { ValidationFault } from "../../shared/domain/errors/validation-fault.ts";
import type { ApiContext } from "../context.ts";
import { awaitDaemon, readDaemonOf } from "./await-daemon.ts";

export type DaemonAct = DaemonSettings & { action: DaemonCommand["action"] };

/**
 * Changes the desired state of an agent's daemon and signals its supervisor, or any worker. Waits up to `waitMs` until the daemon
 * has that state. A repeated act changes nothing.
 */
export async function actOnDaemon(
  ctx: Pick<ApiContext, "config" | "db" | "streams" | "leaving">,
  agent_id: string,
  act: DaemonAct,
  waitMs: number,
): Promise<DaemonControlled> {
  const env = act.env_vars ?? null;
  const faults = env ? envFaults(env, ["env_vars"]) : [];
  if (faults.length > 0) throw new ValidationFault(faults);
  const current = await resolve(ctx, agent_id, "current");
  const version = act.version == null ? null : (await resolve(ctx, agent_id, act.version)).version;
  const known = { action: act.action, version, current_version: current.version, grace_ms: act.grace_ms ?? null };
  const keys = ctx.config.encryptionKeys;
  const starts = act.action === "start" || act.action === "restart";
  const decide = (now: StandingRow): DaemonChange | null => {
    const new_env = starts && env !== null && !isDeepStrictEqual(openEnv(keys, agent_id, now), env);
    const wish = applyCommand(now, { ...known, new_env });
    const sealed_env = new_env ? seal(keys, JSON.stringify(env), sealedFields.daemonEnv(agent_id)) : null;
    return wish && { wish, sealed_env };
  };
  const { user_id } = current;
  const named = { agent_id, user_id, version: current.version };
  const outcome = await changeDaemon(ctx.db, named, decide, ctx.config.perUser.daemons);
  if (outcome === "full") throw conflict("too_many_daemons", userHasMost("daemons", ctx.config.perUser, user_id));
  const changed = outcome === "changed";
  if (changed) await ctx.streams.signalDaemons("look", agent_id).catch(() => undefined);
  const daemon = await awaitDaemon(ctx, agent_id, (seen) => isSettled(act.action, seen), waitMs);
  return { agent_id, action: act.action, changed, daemon, run_id: null };
}

/** Returns an agent's daemon and changes nothing. */
export async function showDaemon(ctx: Pick<ApiContext, "db">, agent_id: string): Promise<DaemonControlled> {
  return { agent_id, action: "status", changed: false, daemon: await readDaemonOf(ctx, agent_id, null), run_id: null };
}

async function resolve(
  ctx: Pick<ApiContext, "db">,
  agent_id: string,
  name: string,
): Promise<{ version: string; user_id: string }> {
  const found = await resolveVersion(ctx.db, agent_id, name, null);
  if (!("missing" in found)) return found;
  throw found.missing === "agent" ? notFound("agent", agent_id) : notFound("version", name);
}

function openEnv(keys: KeyRing, agent_id: string, { sealed_env }: StandingRow): unknown {
  return sealed_env ? JSON.parse(open(keys, sealed_env, sealedFields.daemonEnv(agent_id)).toString("utf8")) : {};
}

/** True when the daemon has the state that the act asks for, or can't reach it any more. */
function isSettled(action: DaemonAct["action"], { status, desired }: DaemonRecord): boolean {
  if (status === "failed") return true;
  if (desired === "stopped") return status === "stopped";
  if (action === "pause") return desired !== "paused" || status === "paused";
  return desired === "paused" ? status === "paused" : status === "running" || status === "degraded";
}
