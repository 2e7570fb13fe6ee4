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
  summary: "Send a worker away at once",
  description:
    "Within seconds it hands back its runs, uncharged, to be begun anew elsewhere, and its process ends. For one that does not even hear this: its runs are taken away when its lease runs out.",
  request: { params: workerParams },
  responses: { 200: { description: "What it was told", schema: dismissedWorker } },
  async handle({ db }: ApiContext, { params: { worker_id } }) {
    const dismissal = await dismissWorker(db, worker_id, "kill");
    if (!dismissal) throw notFound("worker", worker_id);
    return { status: 200, body: { id: worker_id, dismissal } };
  },
});
