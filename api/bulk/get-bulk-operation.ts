import { z } from "zod";
import { notFound } from "../../shared/domain/errors/app-error.ts";
import { bulkRecord } from "../../shared/schemas/bulk.ts";
import { text } from "../../shared/schemas/primitives.ts";
import { readBulk } from "../../shared/store/bulk/bulk-operations.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const getBulkOperation = defineOperation({
  method: "get",
  path: "/v1/runs/bulk/{bulk_id}",
  name: "get_bulk_operation",
  area: "Runs",
  scope: "runs:read",
  summary: "A bulk operation and its progress",
  description: "Poll it after `POST /v1/runs/bulk/cancel` or `…/replay`, until `status` is `done`.",
  request: {
    params: z.object({ bulk_id: text({ max: 512 }).meta({ example: "bulk_019aa5f0c1d27c3e8f4b2a6d9e0f1a2b" }) }),
  },
  errors: ["bulk_operation_not_found"],
  responses: { 200: { description: "The operation", schema: bulkRecord } },
  async handle({ db }: Pick<ApiContext, "db">, { params: { bulk_id }, caller }) {
    const body = await readBulk(db, bulk_id, caller.owner);
    if (!body) throw notFound("bulk_operation", bulk_id);
    return { status: 200, body };
  },
});
