import { notFound } from "../../shared/domain/errors/app-error.ts";
import { dismissedWorker, workerParams } from "../../shared/schemas/admin.ts";
import { dismissWorker } from "../../shared/store/workers/announce-worker.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const drainWorker = defineOperation({
  method: "post",
  path: "/v1/admin/workers/{worker_id}/drain",
  name: "drain_worker",
  area: "Admin",
  scope: "admin",
  audit: "worker",
  summary: "Send a worker away once its runs have ended",
  description:
    "Within seconds it takes no more, and its process ends when what it has is over; its daemons go to others. Whoever keeps it running starts a fresh one: so a fleet is rolled, worker by worker.",
  request: { params: workerParams },
  responses: { 200: { description: "What it was told", schema: dismissedWorker } },
  async handle({ db }: ApiContext, { params: { worker_id } }) {
    const dismissal = await dismissWorker(db, worker_id, "drain");
    if (!dismissal) throw notFound("worker", worker_id);
    return { status: 200, body: { id: worker_id, dismissal } };
  },
});
