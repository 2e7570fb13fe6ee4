import { fleetHistory, fleetHistoryQuery } from "../../shared/schemas/admin.ts";
import { readFleetHistory } from "../../shared/store/queues/fleet-history.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

const dayMs = 24 * 3_600_000;

export const getFleetHistory = defineOperation({
  method: "get",
  path: "/v1/admin/history",
  name: "get_fleet_history",
  area: "Admin",
  scope: "admin",
  summary: "How busy the fleet was",
  description:
    "Slots and queued runs of the last 14 days, minute by minute or in longer steps, with the most of each step. Use it to see when a pool was too small. While no worker lived nothing was written down: such steps are left out.",
  request: { query: fleetHistoryQuery },
  responses: { 200: { description: "The steps, oldest first", schema: fleetHistory } },
  handle: ({ read }: Pick<ApiContext, "read">, { query }) =>
    read(async (db) => {
      const until = query.until ?? new Date();
      const since = query.since ?? new Date(until.getTime() - dayMs);
      const { step_ms, points } = await readFleetHistory(db, { since, until }, query.pool ?? null);
      const data = points.map(({ at, ...figures }) => ({ at: at.toISOString(), ...figures }));
      return {
        status: 200,
        body: {
          object: "fleet_history" as const,
          since: since.toISOString(),
          until: until.toISOString(),
          step_ms,
          data,
        },
      };
    }),
});
