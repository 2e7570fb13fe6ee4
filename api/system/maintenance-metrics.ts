import { Gauge, type Registry } from "prom-client";
import { internalJobs } from "../../shared/services/maintenance/internal-jobs.ts";
import type { MaintenanceAge } from "../../shared/store/internal-jobs/read-maintenance.ts";

/** Adds how the fleet's maintenance does. */
export function addMaintenance(registry: Registry, { jobs, duties }: MaintenanceAge): void {
  const registers = [registry];
  // Not `job`: Prometheus gives each series a label of that name.
  const labelNames = ["job_name"];
  const age = new Gauge({
    name: "runfleet_job_age_seconds",
    help: "For how long an internal job has not succeeded; 0 before its first turn",
    labelNames,
    registers,
  });
  const period = new Gauge({
    name: "runfleet_job_period_seconds",
    help: "How often an internal job is to be done",
    labelNames,
    registers,
  });
  const failed = new Gauge({
    name: "runfleet_job_failed",
    help: "1 when the last turn of an internal job failed",
    labelNames,
    registers,
  });
  const taken = new Gauge({
    name: "runfleet_duty_age_seconds",
    help: "For how long no worker has taken a duty of the fleet's maintenance",
    labelNames: ["duty"],
    registers,
  });
  for (const { name: job_name, age_ms, failed: hasFailed } of jobs) {
    age.set({ job_name }, (age_ms ?? 0) / 1_000);
    period.set({ job_name }, (internalJobs.find(({ name }) => name === job_name)?.every_ms ?? 0) / 1_000);
    failed.set({ job_name }, hasFailed ? 1 : 0);
  }
  for (const { name: duty, age_ms } of duties) taken.set({ duty }, age_ms / 1_000);
}
