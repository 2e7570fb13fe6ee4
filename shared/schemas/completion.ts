import { z } from "zod";
import { choice, jsonObject, laxInt } from "./primitives.ts";

/** The body of POST /v1/runs/{run_id}/complete. No field is required. */
export const completion = z
  .object({
    status: choice(["success", "error", "failed", "failure", "timeout", "cancelled", "canceled"])
      .default("success")
      .meta({ description: "`failed` and `failure` mean error, `canceled` means cancelled." }),
    result_content: jsonObject().nullish(),
    duration_ms: laxInt({ ge: 0, le: 2_147_483_647 }).nullish().meta({ description: "Null: measured by the service." }),
  })
  .meta({ id: "Completion", example: { status: "success", result_content: { answer: 42 }, duration_ms: 1200 } });
export type Completion = z.infer<typeof completion>;

export type CompletedStatus = "success" | "error" | "timeout" | "cancelled";

/** Returns the run status that a completion's `status` stands for. */
export function completedStatus(word: Completion["status"]): CompletedStatus {
  if (word === "failed" || word === "failure") return "error";
  return word === "canceled" ? "cancelled" : word;
}
