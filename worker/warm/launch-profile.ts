import { runLimits } from "../../shared/domain/run/run-limits.ts";
import type { SandboxCommand } from "../sandbox/process.ts";

type Resources = SandboxCommand["resources"];

/**
 * What a process that executes runs is started with. `cpu_ms` is null where a run's own limit is set when the run begins, or
 * where the run needs none.
 */
export type LaunchProfile = {
  resources: Omit<Resources, "cpu_ms"> & { cpu_ms: number | null };
  packages: string | null;
  egress: readonly string[] | null;
};

export function launchProfile(
  { memory_bytes, processes, disk_bytes }: Omit<Resources, "cpu_ms">,
  { cpu_ms, packages, egress }: Omit<LaunchProfile, "resources"> & { cpu_ms: number | null },
): LaunchProfile {
  return { resources: { memory_bytes, processes, disk_bytes, cpu_ms }, packages, egress };
}

/** What most runs ask for. */
export const defaultProfile: LaunchProfile = launchProfile(runLimits, { cpu_ms: null, packages: null, egress: null });

/** True when a process that was started with `defaultProfile` serves a run that asks for `profile`. */
export const isDefault = (profile: LaunchProfile): boolean =>
  JSON.stringify(profile) === JSON.stringify(defaultProfile);

/** Returns a run's limit of CPU time; null for a run whose deadline alone bounds it. */
export const cpuLimitOf = ({ cpu_ms, timeout_ms }: { cpu_ms: number; timeout_ms: number }): number | null =>
  cpu_ms < timeout_ms ? cpu_ms : null;

/** A profile's resources as a sandbox takes them. Without a limit of CPU time it gets the longest that a run may last. */
export function resourcesOf({ resources }: LaunchProfile): Resources {
  return { ...resources, cpu_ms: resources.cpu_ms ?? runLimits.max_timeout_ms };
}
