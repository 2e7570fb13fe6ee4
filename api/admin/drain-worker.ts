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
  summary: "Drain a worker",
  description:
    "Within seconds the worker claims no more runs, and its process ends when its runs have ended. Its daemons move to other workers. A supervisor that restarts workers can so replace a fleet, worker by worker.",
  request: { params: workerParams },
  responses: { 200: { description: "The order that the worker gets", schema: dismissedWorker } },
  async handle({ db }: Pick<ApiContext, "db">, { params: { worker_id } }) {
    const dismissal = await dismissWorker(db, worker_id, "drain");
    if (!dismissal) throw notFound("worker", worker_id);
    return { status: 200, body: { id: worker_id, dismissal } };
  },
});
