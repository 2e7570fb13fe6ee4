import { runStatuses } from "../domain/run/run-status.ts";
import { choice, clientId, pageQuery, text, timestamp } from "./primitives.ts";

const since = timestamp().optional().meta({ description: "Made at or after this time." });
const until = timestamp().optional().meta({ description: "Made before this time." });

/** A stretch of time, as lists and figures take it. */
export const timeRange = { since, until };

/** What a list of runs can be narrowed to. */
export const runFilter = {
  status: choice(runStatuses).optional().meta({ description: "Only those of this status." }),
  agent_id: clientId().optional().meta({ description: "Only this agent's." }),
  version: text({ max: 128 }).optional().meta({ description: "Only this version's, by its exact name." }),
  user_id: clientId().optional().meta({ description: "Only this user's." }),
  thread_id: clientId().optional().meta({ description: "Only this thread's." }),
  job_id: clientId().optional().meta({ description: "Only those that this job made." }),
  ...timeRange,
  search: text({ min: 1, max: 200 }).optional().meta({
    description:
      "A text in ids, input, result or error. A page looks at 10,000 runs at most: it may come short, with `has_more`; go on after its `last_id`.",
  }),
};

export const runListQuery = pageQuery.extend(runFilter);
