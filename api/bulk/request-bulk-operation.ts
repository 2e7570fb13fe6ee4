import { conflict } from "../../shared/domain/errors/app-error.ts";
import { ValidationFault } from "../../shared/domain/errors/validation-fault.ts";
import { type BulkPreview, type BulkRecord, bulkPreview, bulkRecord } from "../../shared/schemas/bulk.ts";
import { exampleOf } from "../../shared/schemas/example-of.ts";
import { insertBulk, type NewBulk } from "../../shared/store/bulk/bulk-operations.ts";
import { previewBulk } from "../../shared/store/bulk/preview-bulk.ts";
import type { Db } from "../../shared/store/client.ts";

export const bulkResponses = (action: NewBulk["action"]) => ({
  200: {
    description: "With `preview`: the number of runs that match, and the newest of them",
    schema: bulkPreview,
    example: { ...exampleOf(bulkPreview), action },
  },
  202: {
    description: "The operation has been started. `GET /v1/runs/bulk/{bulk_id}` returns its progress",
    schema: bulkRecord,
    example: { ...exampleOf(bulkRecord), action },
  },
});

type Answer = { status: 200; body: BulkPreview } | { status: 202; body: BulkRecord; headers: { Location: string } };

/** Stores a bulk operation, or counts its runs. A filter without any condition is refused: it is most likely a mistake. */
export async function requestBulkOperation(db: Db, bulk: NewBulk, preview: boolean): Promise<Answer> {
  if (Object.values(bulk.filter).every((value) => value === undefined))
    throw new ValidationFault([
      { type: "value_error", loc: ["body", "filter"], msg: "Value error, name a condition or run_ids" },
    ]);
  if (preview) return { status: 200, body: { action: bulk.action, ...(await previewBulk(db, bulk)) } };
  const body = await insertBulk(db, bulk);
  if (!body)
    throw conflict(
      "too_many_bulk_operations",
      `The user '${bulk.user_id}' has 20 bulk operations that aren't done. Wait for one of them.`,
    );
  return { status: 202, body, headers: { Location: `/v1/runs/bulk/${body.id}` } };
}
