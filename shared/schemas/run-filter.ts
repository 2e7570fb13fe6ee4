import { z } from "zod";
import { runOrigins, runPayloads } from "./run.ts";
import { runStatuses } from "../domain/run/run-status.ts";
import { labelFilter } from "./labels.ts";
import { lifecycles } from "../domain/run/run-modes.ts";
import {
  choice,
  clientId,
  includeQuery,
  laxInt,
  oneOrMany,
  pageQuery,
  text,
  timestamp,
  versionQuery,
} from "./primitives.ts";

const since = timestamp().optional().meta({ description: "Created at or after this time." });
const until = timestamp().optional().meta({ description: "Created before this time." });

/** The time range of lists and analytics. */
export const timeRange = { since, until };

const several = (sentence: string): string => `${sentence}. Several, with commas between: any of them.`;

/** The filters of a list of runs. */
export const runFilter = {
  status: oneOrMany(choice(runStatuses))
    .optional()
    .meta({ description: several("Only runs with this status") }),
  agent_id: oneOrMany(clientId())
    .optional()
    .meta({ description: several("Only runs of this agent") }),
  version: oneOrMany(versionQuery())
    .optional()
    .meta({ description: several("Only runs of this version. The name must be exact") }),
  user_id: clientId().optional().meta({ description: "Only things of this user." }),
  thread_id: clientId().optional().meta({ description: "Only runs of this thread." }),
  job_id: clientId().optional().meta({ description: "Only runs that this job made." }),
  replay_of: clientId().optional().meta({ description: "Only runs that ran this run again." }),
  bulk_id: clientId().optional().meta({ description: "Only runs that this bulk operation has made." }),
  parent_run_id: clientId().optional().meta({ description: "Only runs that this run has started." }),
  root_run_id: clientId().optional().meta({
    description: "Only runs of the tree below this run: those that it has started, those that they have started.",
  }),
  worker_id: clientId().optional().meta({ description: "Only runs whose last attempt this worker executed." }),
  origin: choice(runOrigins).optional().meta({ description: "Only runs that were started this way." }),
  lifecycle: choice(lifecycles).optional().meta({ description: "Only runs of this lifecycle." }),
  error_code: text({ min: 1, max: 128 })
    .optional()
    .meta({ description: "Only runs whose error has this code. With `status=error` a page looks further back." }),
  min_duration_ms: laxInt({ ge: 0 }).optional().meta({ description: "Only runs that took so long at least." }),
  ...labelFilter,
  ...timeRange,
  search: text({ min: 1, max: 200 }).optional().meta({
    description:
      "Only runs with this text in an id, the input, the result or the error. An input or result of more than 64 KiB is not searched. A page searches at most 10,000 runs, so it may have fewer than `limit` results and still `has_more`. Continue after its `last_id`.",
  }),
};

export const searchPlaces = ["record", "output", "logs"] as const;
/** A search in transcripts looks at so many runs a page, and at the first part of each. */
export const transcriptLimits = { runs: 200, bytes: 512 * 1024 } as const;

/** The query of a count of runs. */
export const runCountQuery = z.object({
  ...runFilter,
  by: choice(["status"]).default("status").meta({ description: "What the runs are counted by." }),
});

/** What a list of runs can be in order of. */
const runOrders = ["created_at", "duration_ms", "cost_usd"] as const;
export type RunOrder = (typeof runOrders)[number];

/** The query of a list of runs. */
export const runListQuery = pageQuery.extend({
  ...runFilter,
  order: choice(["desc", "asc"]).default("desc").meta({
    description: "desc: the newest first, or the greatest of what `order_by` names. asc: the other way round.",
  }),
  order_by: choice(runOrders).default("created_at").meta({
    description:
      "What the list is in order of. By `duration_ms` and `cost_usd` it has only runs that have one. With filters that more than 10,000 runs match, a page then looks at 10,000 runs at most, as with `search`.",
  }),
  ...includeQuery(runPayloads),
  search_in: choice(searchPlaces)
    .default("record")
    .meta({
      description: `Where \`search\` looks. \`output\`: in the text that the run has output. \`logs\`: in its log lines. Both read transcripts, while they are kept: a page looks at ${transcriptLimits.runs} runs at most, and at the first ${transcriptLimits.bytes / 1024} KiB stored of each. Narrow it by agent_id, since and until.`,
    }),
});
