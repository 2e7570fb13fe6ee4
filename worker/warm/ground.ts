import { runLimits } from "../../shared/domain/run/limits.ts";
import type { SandboxCommand } from "../sandbox/process.ts";

type Resources = SandboxCommand["resources"];

/** What a process that is to play runs is started with. `cpu_ms`: null where each run's own limit is set when it begins, or needs none. */
export type Ground = {
  resources: Omit<Resources, "cpu_ms"> & { cpu_ms: number | null };
  packages: string | null;
  egress: readonly string[] | null;
};

export function groundOf(
  { memory_bytes, processes, disk_bytes }: Omit<Resources, "cpu_ms">,
  { cpu_ms, packages, egress }: Omit<Ground, "resources"> & { cpu_ms: number | null },
): Ground {
  return { resources: { memory_bytes, processes, disk_bytes, cpu_ms }, packages, egress };
}

/** What most runs ask for. */
export const usualGround: Ground = groundOf(runLimits, { cpu_ms: null, packages: null, egress: null });

/** Whether a process that was started on `usualGround` will do. */
export const isUsual = (ground: Ground): boolean => JSON.stringify(ground) === JSON.stringify(usualGround);

/** A run without a limit on CPU time of its own is held by its deadline, and needs none; else its limit. */
export const cpuLimitOf = ({ cpu_ms, timeout_ms }: { cpu_ms: number; timeout_ms: number }): number | null =>
  cpu_ms < timeout_ms ? cpu_ms : null;

/** A ground's resources as a sandbox takes them: what needs no limit on CPU time gets the longest that a run may last. */
export function resourcesOf({ resources }: Ground): Resources {
  return { ...resources, cpu_ms: resources.cpu_ms ?? runLimits.max_timeout_ms };
}
