import { notFound } from "../../shared/domain/errors/app-error.ts";
import { dismissedWorker, workerParams } from "../../shared/schemas/admin.ts";
import { dismissWorker } from "../../shared/store/workers/announce-worker.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const killWorker = defineOperation({
  method: "post",
  path: "/v1/admin/workers/{worker_id}/kill",
  name: "kill_worker",
  area: "Admin",
  scope: "admin",
  audit: "worker",
  summary: "Stop a worker at once",
  description:
    "Within seconds the worker gives its runs back, which start again elsewhere and are not charged for it, and its process ends. If the worker does not react, its runs are queued again when its lease expires.",
  request: { params: workerParams },
  responses: { 200: { description: "The order that the worker gets", schema: dismissedWorker } },
  async handle({ db }: Pick<ApiContext, "db">, { params: { worker_id } }) {
    const dismissal = await dismissWorker(db, worker_id, "kill");
    if (!dismissal) throw notFound("worker", worker_id);
    return { status: 200, body: { id: worker_id, dismissal } };
  },
});
