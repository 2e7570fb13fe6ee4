import { z } from "zod";
import { exampleOf } from "./example-of.ts";
import { sandboxReport } from "./run-event.ts";

/** A worker's isolation level, and in `missing` why it has no stronger one. Earlier releases don't report `missing`. */
export const workerSandbox = sandboxReport.extend({ missing: z.array(z.string()).default([]) }).meta({
  id: "WorkerSandbox",
  example: { ...exampleOf(sandboxReport), missing: ["ns+cgroup: /sys/fs/cgroup is not writable"] },
});
export type WorkerSandbox = z.infer<typeof workerSandbox>;

export const fleetWorker = z
  .object({
    id: z.string(),
    host: z.string(),
    pid: z.number().int(),
    software: z.string(),
    slots: z.number().int(),
    busy: z.number().int(),
    adapters: z.array(z.string()),
    pool: z.string().meta({ description: "It takes runs of this pool only." }),
    sandbox: workerSandbox,
    status: z.string(),
    started_at: z.string(),
    heartbeat_at: z.string(),
  })
  .meta({
    id: "FleetWorker",
    example: {
      id: "worker_019aa5e0a1b27c3e8f4b2a6d9e0f1a2b",
      host: "worker-1",
      pid: 4242,
      software: "2.0.0",
      slots: 4,
      busy: 1,
      adapters: ["python", "node", "command", "http"],
      pool: "default",
      sandbox: exampleOf(workerSandbox),
      status: "active",
      started_at: "2026-11-21T10:00:00.000Z",
      heartbeat_at: "2026-11-21T10:00:01.200Z",
    },
  });
export type FleetWorker = z.infer<typeof fleetWorker>;
