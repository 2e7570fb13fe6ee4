import { z } from "zod";
import { sandboxReport } from "./run-event.ts";

export const fleetWorker = z
  .object({
    id: z.string(),
    host: z.string(),
    pid: z.number().int(),
    software: z.string(),
    slots: z.number().int(),
    busy: z.number().int(),
    adapters: z.array(z.string()),
    sandbox: sandboxReport,
    status: z.string(),
    started_at: z.string(),
    heartbeat_at: z.string(),
  })
  .meta({ id: "FleetWorker" });
export type FleetWorker = z.infer<typeof fleetWorker>;
