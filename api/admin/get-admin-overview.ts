import { adminOverview } from "../../shared/schemas/admin.ts";
import { countResources } from "../../shared/store/count-resources.ts";
import { readAnalytics } from "../../shared/store/analytics/read-analytics.ts";
import { addSums, toAnalytics } from "../../shared/store/analytics/to-analytics.ts";
import { countActiveRuns } from "../../shared/store/runs/read/active-runs.ts";
import { listWorkers } from "../../shared/store/workers/list-workers.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { readQueueStates } from "./queue-states.ts";

const silentWorkerMs = 15_000;
const dayMs = 24 * 3_600_000;

export const getAdminOverview = defineOperation({
  method: "get",
  path: "/v1/admin/overview",
  name: "get_admin_overview",
  area: "Admin",
  scope: "admin",
  summary: "An overview of the service",
  description: "The first look at a deployment: workers, queues, runs and what ended within the last day.",
  responses: { 200: { description: "The current numbers", schema: adminOverview } },
  async handle(ctx: Pick<ApiContext, "db" | "queue">) {
    const { db } = ctx;
    const until = new Date();
    const lastDay = { since: new Date(until.getTime() - dayMs), until, unit: null, timezone: "UTC" };
    const [workers, runs, sums, queues, things] = await Promise.all([
      listWorkers(db, silentWorkerMs),
      countActiveRuns(db, {}),
      readAnalytics(db, { by: "all" }, lastDay),
      readQueueStates(ctx),
      countResources(db),
    ]);
    const add = (count: (worker: (typeof workers)[number]) => number) =>
      workers.reduce((sum, worker) => sum + count(worker), 0);
    const fleet = {
      active: add(({ status }) => (status === "active" ? 1 : 0)),
      draining: add(({ status }) => (status === "draining" ? 1 : 0)),
      slots: add(({ slots }) => slots),
      busy: add(({ busy }) => busy),
    };
    return { status: 200, body: { workers: fleet, runs, last_day: toAnalytics(addSums(sums)), queues, ...things } };
  },
});
