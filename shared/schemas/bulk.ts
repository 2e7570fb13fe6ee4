import { z } from "zod";
import { replayEdits } from "./replay.ts";
import { runStatuses } from "../domain/run/run-status.ts";
import { choice, clientId, laxBool, pageQuery } from "./primitives.ts";
import { runFilter } from "./run-filter.ts";

// Strict: a misspelt condition or `preview` that was ignored would only be noticed after the runs were cancelled.
const filter = z.strictObject(runFilter).optional().meta({
  description:
    "The conditions of the list of runs, at least one, unless `run_ids` names runs. An unknown field is a 422.",
});
const run_ids = z
  .array(clientId())
  .min(1)
  .max(1_000)
  .optional()
  .meta({ description: "Only these runs, as far as the filter matches them." });
const preview = laxBool().default(false).meta({ description: "True: only count the runs, and show some of them." });

export const bulkCancelBody = z
  .strictObject({ filter, run_ids, preview })
  .meta({ id: "BulkCancelBody", example: { filter: { agent_id: "hello-agent", status: "queued" } } });
export const bulkReplayBody = replayEdits
  .extend({ filter, run_ids, preview })
  .strict()
  .meta({ id: "BulkReplayBody", example: { filter: { agent_id: "hello-agent", status: "error" }, version: "latest" } });

/** A filter as it is stored: JSON, with times as texts. */
export const storedFilter = z.object({ ...runFilter, run_ids }).partial();

const countedTo =
  "At least: where no index serves a condition, such as `search`, only the newest 10,000 runs are counted. The operation itself is about all that match.";

export const bulkPreview = z
  .object({
    action: z.enum(["cancel", "replay"]),
    total: z
      .number()
      .int()
      .meta({ description: `The number of runs that match now. ${countedTo}` }),
    more: z.boolean().meta({ description: "True: there are older runs, which were not counted." }),
    examples: z
      .array(z.object({ id: z.string(), agent_id: z.string(), status: z.enum(runStatuses), created_at: z.string() }))
      .meta({ description: "The newest runs that match, at most 10." }),
  })
  .meta({
    id: "BulkPreview",
    example: {
      action: "cancel",
      total: 42,
      more: false,
      examples: [
        {
          id: "run_019aa5f0c1d27c3e8f4b2a6d9e0f1a2c",
          agent_id: "hello-agent",
          status: "queued",
          created_at: "2026-11-21T10:00:00.000Z",
        },
      ],
    },
  });
export type BulkPreview = z.infer<typeof bulkPreview>;

const bulkStatuses = ["pending", "running", "done", "error"] as const;

export const bulkListQuery = pageQuery.extend({
  status: choice(bulkStatuses).optional().meta({ description: "Only things with this status." }),
  user_id: clientId().optional().meta({ description: "Only things of this user." }),
});

export const bulkRecord = z
  .object({
    id: z.string(),
    object: z.literal("bulk_operation"),
    user_id: z.string(),
    action: z.enum(["cancel", "replay"]),
    filter: z.record(z.string(), z.unknown()),
    status: z.enum(bulkStatuses),
    total: z
      .number()
      .int()
      .meta({ description: `The number of matching runs when the operation was requested. ${countedTo}` }),
    done: z.number().int(),
    failed: z.number().int(),
    created_at: z.string(),
    finished_at: z.string().nullable(),
  })
  .meta({
    id: "BulkOperation",
    example: {
      id: "bulk_019aa5f0c1d27c3e8f4b2a6d9e0f1a2b",
      object: "bulk_operation",
      user_id: "ada",
      action: "cancel",
      filter: { agent_id: "hello-agent", status: "queued" },
      status: "running",
      total: 42,
      done: 10,
      failed: 0,
      created_at: "2026-11-21T10:00:00.000Z",
      finished_at: null,
    },
  });
export type BulkRecord = z.infer<typeof bulkRecord>;
