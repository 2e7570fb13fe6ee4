import { runPayloads } from "./run.ts";
import { runStatuses } from "../domain/run/run-status.ts";
import { labelFilter } from "./labels.ts";
import { choice, clientId, includeQuery, pageQuery, text, timestamp } from "./primitives.ts";

const since = timestamp().optional().meta({ description: "Created at or after this time." });
const until = timestamp().optional().meta({ description: "Created before this time." });

/** The time range of lists and analytics. */
export const timeRange = { since, until };

/** The filters of a list of runs. */
export const runFilter = {
  status: choice(runStatuses).optional().meta({ description: "Only things with this status." }),
  agent_id: clientId().optional().meta({ description: "Only things of this agent." }),
  version: text({ max: 128 }).optional().meta({ description: "Only runs of this version. The name must be exact." }),
  user_id: clientId().optional().meta({ description: "Only things of this user." }),
  thread_id: clientId().optional().meta({ description: "Only runs of this thread." }),
  job_id: clientId().optional().meta({ description: "Only runs that this job made." }),
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

/** The query of a list of runs. */
export const runListQuery = pageQuery.extend({
  ...runFilter,
  ...includeQuery(runPayloads),
  search_in: choice(searchPlaces)
    .default("record")
    .meta({
      description: `Where \`search\` looks. \`output\`: in the text that the run has output. \`logs\`: in its log lines. Both read transcripts, while they are kept: a page looks at ${transcriptLimits.runs} runs at most, and at the first ${transcriptLimits.bytes / 1024} KiB stored of each. Narrow it by agent_id, since and until.`,
    }),
});
