import { z } from "zod";
import { runStatuses } from "../domain/run/run-status.ts";
import { exampleOf } from "./example-of.ts";
import { runFilter } from "./run-filter.ts";
import { runError, usage } from "./run-event.ts";
import { runListItem, runOrigins } from "./run.ts";

const { search: _search, ...changeable } = runFilter;

/** The filters of a stream of changes: those of the list, but for the search. */
export const runChangeFilter = changeable;

const time = z.string().nullable();
const { id, agent_id, version, status, attempt, created_at, ...shown } = exampleOf(runListItem);

/** A run's row in a list, as it is now. */
export const runChanged = z
  .object({
    type: z.literal("run.changed"),
    matches: z.boolean().meta({ description: "False: the run is no longer in the list that the filters describe." }),
    id: z.string(),
    user_id: z.string(),
    agent_id: z.string(),
    version: z.string(),
    thread_id: z.string().nullable(),
    job_id: z.string().nullable(),
    replay_of: z.string().nullable(),
    worker_id: z.string().nullable(),
    origin: z.enum(runOrigins),
    status: z.enum(runStatuses),
    attempt: z.number().int(),
    max_attempts: z.number().int(),
    input_preview: runListItem.shape.input_preview,
    error: runError.omit({ traceback: true }).nullable(),
    usage: usage.nullable(),
    created_at: z.string(),
    scheduled_at: time,
    started_at: time,
    completed_at: time,
    queue_ms: z.number().int().nullable(),
    duration_ms: z.number().int().nullable(),
  })
  .meta({
    id: "RunChanged",
    description: "A run has moved from one status to another.",
    example: {
      type: "run.changed",
      matches: true,
      ...{ id, user_id: shown.user_id, agent_id, version, thread_id: null, job_id: null, replay_of: null },
      ...{ worker_id: shown.worker_id, origin: shown.origin, status, attempt, max_attempts: shown.max_attempts },
      ...{ input_preview: shown.input_preview, error: null, usage: shown.usage, created_at, scheduled_at: null },
      ...{ started_at: shown.started_at, completed_at: shown.completed_at },
      ...{ queue_ms: shown.queue_ms, duration_ms: shown.duration_ms },
    },
  });
export type RunChanged = z.infer<typeof runChanged>;

const resyncReasons = ["start", "too_many", "too_old"] as const;

/** What went before is not told. */
export const changesResync = z
  .object({
    type: z.literal("resync"),
    reason: z.enum(resyncReasons).meta({
      description:
        "`start`: the stream begins here. `too_many`: more runs changed at once than the stream tells. `too_old`: too much has changed since the id that the stream was to go on after.",
    }),
  })
  .meta({
    id: "RunChangesResync",
    description: "Changes before this event are not told. Read the list anew.",
    example: { type: "resync", reason: "start" },
  });
export type ChangesResync = z.infer<typeof changesResync>;

/** An event of the stream of all runs' changes. */
export const runChangeEvent = z
  .discriminatedUnion("type", [runChanged, changesResync])
  .meta({ id: "RunChangeEvent", description: "An event of a list of runs. Ignore types that you don't know." });
