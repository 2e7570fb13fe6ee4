import { exampleOf } from "../../shared/schemas/example-of.ts";
import { type BulkRecord, bulkPreview, bulkRecord } from "../../shared/schemas/bulk.ts";
import { countBulk, insertBulk, type NewBulk } from "../../shared/store/bulk/bulk-operations.ts";
import { ValidationFault } from "../../shared/domain/errors/validation-fault.ts";
import type { ApiContext } from "../context.ts";

export const bulkResponses = (action: NewBulk["action"]) => ({
  200: {
    description: "With `preview`: how many runs it would be",
    schema: bulkPreview,
    example: { ...exampleOf(bulkPreview), action },
  },
  202: {
    description: "It is being done; `GET /v1/runs/bulk/{bulk_id}` tells how far",
    schema: bulkRecord,
    example: { ...exampleOf(bulkRecord), action },
  },
});

type Answer =
  | { status: 200; body: { action: NewBulk["action"]; total: number } }
  | { status: 202; body: BulkRecord; headers: { Location: string } };

/** Counts, or owes, a bulk operation. One without any condition is refused: nobody means all of his runs by mistake. */
export async function askBulk({ db }: ApiContext, bulk: NewBulk, preview: boolean): Promise<Answer> {
  if (Object.values(bulk.filter).every((value) => value === undefined))
    throw new ValidationFault([{ type: "value_error", loc: ["body", "filter"], msg: "Value error, name a condition" }]);
  if (preview) return { status: 200, body: { action: bulk.action, total: await countBulk(db, bulk) } };
  const body = await insertBulk(db, bulk);
  return { status: 202, body, headers: { Location: `/v1/runs/bulk/${body.id}` } };
}
