import type { Frame } from "../../channel/frame-schema.ts";
import type { Environments } from "../../sandbox/environments.ts";

/** `opening`: the frames that are still to be sent before the agent's own. */
export type Installed = { packages: string | null; opening: Frame[] };

const started: Frame = { type: "started", warm: false };

/**
 * Has what an agent requires installed, and yields the installer's log as `log` frames. Gives null after it has failed: then
 * all of the run's frames were sent.
 */
export async function* installRequirements(
  environments: Environments,
  requirements: string[],
  signal: AbortSignal,
): AsyncGenerator<Frame, Installed | null> {
  if (requirements.length === 0) return { packages: null, opening: [started] };
  const packages = environments.find(requirements);
  if (packages !== null) return { packages, opening: [started] };
  yield started;
  const build = environments.build(requirements, signal);
  for await (const message of build.log) yield { type: "log", level: "info", stream: "agent", message };
  const built = await build.done;
  if ("directory" in built) return { packages: built.directory, opening: [] };
  const message = `The requirements could not be installed: ${built.fault}`;
  yield { type: "error", code: "dependency_install_failed", error_type: "InstallError", message, traceback: null };
  yield { type: "exit", code: 1, signal: null, limit: null, cpu_ms: null, max_rss_bytes: null };
  return null;
}
