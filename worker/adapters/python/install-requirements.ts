import type { Frame } from "../../channel/frame-schema.ts";
import type { Environments } from "../../environments/environments.ts";
import { WorkerFault } from "../../worker-fault.ts";
import type { AgentRequest } from "../adapter.ts";

/** `opening`: frames that must still be sent before the agent's own. `cpu_ms`: what the install used. */
export type InstalledRequirements = { packages: string | null; opening: Frame[]; cpu_ms: number | null };

const started: Frame = { type: "started", warm: false };

/**
 * Installs what an agent requires, and yields the installer's log as `log` frames. Returns null when that failed; all of the
 * run's frames were sent then. Rejects with `WorkerFault` when the packages may be installed elsewhere, or later.
 */
export async function* installRequirements(
  environments: Environments,
  { requirements, lock, user_id }: Pick<AgentRequest, "requirements" | "lock" | "user_id">,
  signal: AbortSignal,
): AsyncGenerator<Frame, InstalledRequirements | null> {
  if (requirements.length === 0) return { packages: null, opening: [started], cpu_ms: 0 };
  const found = environments.find({ requirements, lock });
  if (found !== null) return { packages: found, opening: [started], cpu_ms: 0 };
  yield started;
  const build = environments.build({ packages: { requirements, lock }, owner: user_id, signal });
  for await (const message of build.log) yield { type: "log", level: "info", stream: "agent", message };
  const built = await build.done;
  if ("directory" in built) return { packages: built.directory, opening: [], cpu_ms: built.cpu_ms };
  const message = `The requirements could not be installed: ${built.fault}`;
  if (built.ofWorker) throw new WorkerFault(message);
  yield { type: "error", code: "dependency_install_failed", error_type: "InstallError", message, traceback: null };
  yield { type: "exit", code: 1, signal: null, limit: null, cpu_ms: built.cpu_ms, max_rss_bytes: null };
  return null;
}

/** Adds the CPU time of the install that a run caused to the run's `exit` frame. */
export const withInstall = (frames: AsyncIterable<Frame>, { cpu_ms }: InstalledRequirements): AsyncIterable<Frame> =>
  cpu_ms === null || cpu_ms === 0 ? frames : chargeInstall(frames, cpu_ms);

async function* chargeInstall(frames: AsyncIterable<Frame>, ms: number): AsyncGenerator<Frame> {
  for await (const frame of frames)
    yield frame.type === "exit" ? { ...frame, cpu_ms: (frame.cpu_ms ?? 0) + ms } : frame;
}
