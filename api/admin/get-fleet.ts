import { z } from "zod";
import { exampleOf } from "../../shared/schemas/example-of.ts";
import { fleetWorker } from "../../shared/schemas/fleet.ts";
import { listWorkers } from "../../shared/store/workers/list-workers.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

/** Longer than a silent worker counts as live, so that operators see one that was just lost. */
const shownForMs = 60_000;

export const getFleet = defineOperation({
  method: "get",
  path: "/v1/admin/fleet",
  name: "get_fleet",
  area: "Admin",
  scope: "admin",
  summary: "The workers",
  description:
    "Use it to see which worker runs what, how strong its sandbox is, and whether it still answers. `POST /v1/admin/workers/{worker_id}/drain` takes one out.",
  responses: {
    200: {
      description: "Workers with their last heartbeat",
      schema: z
        .object({ data: z.array(fleetWorker) })
        .meta({ id: "Fleet", example: { data: [exampleOf(fleetWorker)] } }),
    },
  },
  async handle({ db }: Pick<ApiContext, "db">) {
    return { status: 200, body: { data: await listWorkers(db, shownForMs) } };
  },
});
