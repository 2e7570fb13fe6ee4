import { z } from "zod";
import { exampleOf } from "./example-of.ts";
import { scheduleFault } from "../domain/schedule/next-tick.ts";
import { requestLimits } from "../domain/run/request-limits.ts";
import { adapterTypes, lifecycles, runtimeModes } from "../domain/run/run-modes.ts";
import { isTimeZone } from "../domain/schedule/zone-clock.ts";
import { executeRequest } from "./execute-request.ts";
import { field, Refused, refuse } from "./field.ts";
import { labelledMetadata, tagList } from "./labels.ts";
import { requestOptions } from "./request-options.ts";
import {
  choice,
  clientId,
  includeQuery,
  jsonArray,
  jsonObject,
  laxInt,
  pageQuery,
  text,
  timestamp,
} from "./primitives.ts";
import { readText } from "./read-lax.ts";
import { timeRange } from "./run-filter.ts";

export const jobParams = z.object({
  job_id: text({ max: 512 }).meta({ example: "job_019aa5f0c1d27c3e8f4b2a6d9e0f1a2b" }),
});

const jobStatuses = ["active", "paused", "completed", "cancelled"] as const;
const overlaps = ["skip", "allow", "cancel_previous"] as const;
const catchUps = ["none", "last"] as const;

/** A text of at most `max` characters for which `faultOf` returns null. */
const checkedText = (max: number, faultOf: (value: string) => string | null) =>
  field(
    (value) => {
      const read = readText(value, { min: 1, max });
      const fault = read instanceof Refused ? null : faultOf(read);
      return fault === null ? read : refuse("value_error", `Value error, ${fault}`);
    },
    { type: "string", minLength: 1, maxLength: max },
  );

const schedule = () =>
  checkedText(256, scheduleFault)
    .nullish()
    .meta({ description: `${docs.schedule} Left out: a single run now.` });
const timezone = () => checkedText(64, (name) => (isTimeZone(name) ? null : "not a time zone, like Europe/Berlin"));

const docs = {
  schedule:
    "A cron expression (5 fields, or 6 with seconds), an interval such as `every 5m` (s, m, h, d), or an RFC 3339 time for a single run.",
  timezone: "The IANA time zone of the cron expression.",
  overlap:
    "What happens at a tick while a run of the job has not ended. skip: the tick makes no run. allow: the new run is started besides the old one. cancel_previous: the old run is cancelled.",
  catch_up:
    "What happens to ticks that no worker fired for more than a minute. none: they are skipped. last: the last one fires.",
  ends_at: "The job has no ticks after this time.",
  jitter_ms:
    "Each run of the schedule starts at its own, fixed moment within this time after its tick, so that jobs of the same hour don't start at once.",
};

/** The body of POST /v1/jobs: an execute request and its schedule. */
export const jobBody = executeRequest
  .omit({ run_id: true, delay_ms: true, run_at: true, debounce: true })
  .extend({
    name: text({ min: 1, max: 256 }).nullish(),
    schedule: schedule(),
    timezone: timezone().default("UTC").meta({ description: docs.timezone }),
    jitter_ms: laxInt({ ge: 0, le: 24 * 3_600_000 })
      .nullish()
      .meta({ description: docs.jitter_ms }),
    overlap: choice(overlaps).default("skip").meta({ description: docs.overlap }),
    catch_up: choice(catchUps).default("none").meta({ description: docs.catch_up }),
    ends_at: timestamp().nullish().meta({ description: docs.ends_at }),
    metadata: labelledMetadata()
      .nullish()
      .meta({ description: "The metadata of the job's runs, together with `scheduled_at`." }),
  })
  .meta({
    id: "JobBody",
    example: {
      agent_id: "hello-agent",
      version: "current",
      input_payload: { name: "Ada" },
      schedule: "0 9 * * MON-FRI",
      timezone: "Europe/Berlin",
    },
  });
export type JobBody = z.infer<typeof jobBody>;

/** The body of PATCH /v1/jobs/{job_id}. The patched job is checked like a body of POST. */
export const jobPatch = z
  .object({
    name: text({ min: 1, max: 256 }).nullish(),
    version: text({ min: 1, max: 128 }).optional(),
    input_payload: jsonObject().nullish(),
    env_vars: jsonObject().nullish().meta({ description: "Merged by name. Null removes an entry, or all." }),
    files: jsonObject().nullish().meta({ description: "Merged by name. Null removes an entry, or all." }),
    history: jsonArray({ max: requestLimits.history_items }).nullish(),
    state_snapshot: text().nullish(),
    thread_id: clientId().nullish(),
    adapter_type: choice(adapterTypes).nullish(),
    runtime_mode: choice(runtimeModes).nullish(),
    lifecycle: choice(lifecycles).nullish(),
    completion_callback_url: text({ max: 2048 }).nullish(),
    ...requestOptions,
    schedule: schedule(),
    timezone: timezone().nullish(),
    jitter_ms: laxInt({ ge: 0, le: 24 * 3_600_000 }).nullish(),
    overlap: choice(overlaps).nullish(),
    catch_up: choice(catchUps).nullish(),
    ends_at: text({ max: 64 }).nullish().meta({ format: "date-time" }),
    tags: tagList().nullish(),
    metadata: labelledMetadata().nullish(),
  })
  .meta({ id: "JobPatch", example: { schedule: "every 15m", input_payload: { name: "Grace" } } });

const tickOutcomes = ["fired", "skipped", "missed"] as const;

export const jobTick = z
  .object({
    id: z.string(),
    object: z.literal("job_tick"),
    scheduled_at: z.string(),
    outcome: z.enum(tickOutcomes).meta({
      description:
        "fired: the tick made a run. skipped: the tick made no run; see `reason`. missed: no worker fired the tick in time.",
    }),
    manual: z.boolean().meta({ description: "True: fired by `POST /v1/jobs/{job_id}/trigger`, not by the schedule." }),
    reason: z
      .string()
      .nullable()
      .meta({ description: "Why the tick was skipped, such as still_running, agent_not_active or owner_queue_full." }),
    run_id: z.string().nullable(),
  })
  .meta({
    id: "JobTick",
    example: {
      id: "1795252800000",
      object: "job_tick",
      scheduled_at: "2026-11-21T08:00:00.000Z",
      outcome: "fired",
      manual: false,
      reason: null,
      run_id: "run_019aa5f0c1d27c3e8f4b2a6d9e0f1a2c",
    },
  });
export type JobTickRecord = z.infer<typeof jobTick>;

export const jobRecord = z
  .object({
    id: z.string(),
    object: z.literal("job"),
    user_id: z.string(),
    agent_id: z.string(),
    version: z
      .string()
      .meta({ description: "As in the request. `current`, `latest` and tags are resolved at each tick." }),
    name: z.string().nullable(),
    input_payload: z.record(z.string(), z.unknown()),
    env_names: z.array(z.string()),
    file_names: z.array(z.string()),
    thread_id: z.string().nullable(),
    adapter_type: z.string().nullable().meta({ description: "Null: the adapter in the version's config." }),
    runtime_mode: z.string(),
    lifecycle: z.string(),
    callback_host: z.string().nullable(),
    schedule: z.string().nullable(),
    timezone: z.string(),
    jitter_ms: z.number().int().nullable(),
    overlap: z.enum(overlaps),
    catch_up: z.enum(catchUps),
    status: z.enum(jobStatuses).meta({ description: "completed: the job has no further ticks." }),
    next_tick_at: z.string().nullable(),
    last_tick: jobTick.nullable(),
    ends_at: z.string().nullable(),
    tags: z.array(z.string()),
    metadata: z.record(z.string(), z.unknown()),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({
    id: "Job",
    example: {
      id: "job_019aa5f0c1d27c3e8f4b2a6d9e0f1a2b",
      object: "job",
      user_id: "ada",
      agent_id: "hello-agent",
      version: "current",
      name: "morning greeting",
      input_payload: { name: "Ada" },
      env_names: [],
      file_names: [],
      thread_id: null,
      adapter_type: "python",
      runtime_mode: "standard",
      lifecycle: "serverless",
      callback_host: null,
      schedule: "0 9 * * MON-FRI",
      timezone: "Europe/Berlin",
      jitter_ms: null,
      overlap: "skip",
      catch_up: "none",
      status: "active",
      next_tick_at: "2026-11-23T08:00:00.000Z",
      last_tick: exampleOf(jobTick),
      ends_at: null,
      tags: [],
      metadata: {},
      created_at: "2026-11-21T10:00:00.000Z",
      updated_at: "2026-11-21T10:00:00.000Z",
    },
  });
export type JobRecord = z.infer<typeof jobRecord>;

const { input_payload: _input, ...listed } = exampleOf(jobRecord);

/** A job in a list. */
export const jobListItem = jobRecord.partial({ input_payload: true }).meta({ id: "JobListItem", example: listed });
export type JobListItem = z.infer<typeof jobListItem>;
/** The largest number of ticks that one backfill fires, and that one preview shows. */
export const mostTicks = 100;

/** The body of POST /v1/jobs/{job_id}/backfill. */
export const backfillBody = z
  .object({
    from: timestamp().meta({ description: "Ticks at or after this time." }),
    to: timestamp().meta({ description: "Ticks at or before this time, which must have passed." }),
  })
  .meta({ id: "BackfillBody", example: { from: "2026-11-20T00:00:00Z", to: "2026-11-21T00:00:00Z" } });

export const backfillResult = z
  .object({
    fired: z.number().int(),
    skipped: z.number().int(),
    already_fired: z.number().int().meta({ description: "Ticks that had made a run before." }),
    data: z.array(jobTick).meta({ description: "The ticks that were tried now, oldest first." }),
  })
  .meta({
    id: "Backfill",
    example: { fired: 1, skipped: 0, already_fired: 0, data: [exampleOf(jobTick)] },
  });

export const previewQuery = z.object({
  count: laxInt({ ge: 1, le: mostTicks })
    .default(10)
    .meta({ description: "How many ticks to show. Fewer come where the job has no more." }),
});

export const tickPreview = z
  .object({
    data: z.array(
      z.object({
        scheduled_at: z.string(),
        run_at: z.string().meta({ description: "The time of the tick's run, which `jitter_ms` puts later." }),
      }),
    ),
  })
  .meta({
    id: "TickPreview",
    example: { data: [{ scheduled_at: "2026-11-23T08:00:00.000Z", run_at: "2026-11-23T08:00:00.000Z" }] },
  });

/** The body of POST /v1/jobs/preview. */
export const schedulePreviewBody = z
  .object({
    schedule: checkedText(256, scheduleFault).meta({ description: docs.schedule }),
    timezone: timezone().default("UTC").meta({ description: docs.timezone }),
    ends_at: timestamp().nullish().meta({ description: docs.ends_at }),
    count: laxInt({ ge: 1, le: mostTicks })
      .default(5)
      .meta({ description: "How many ticks to show. Fewer come where the schedule has no more." }),
  })
  .meta({ id: "SchedulePreviewBody", example: { schedule: "0 9 * * MON-FRI", timezone: "Europe/Berlin" } });

export const schedulePreview = z
  .object({ data: z.array(z.object({ scheduled_at: z.string() })) })
  .meta({ id: "SchedulePreview", example: { data: [{ scheduled_at: "2026-11-23T08:00:00.000Z" }] } });

export const tickListQuery = pageQuery.extend({
  after: text({ pattern: /^\d{1,15}(-manual)?$/ })
    .optional()
    .meta({ description: "The page starts after this tick." }),
});

export const jobListQuery = pageQuery.extend({
  status: choice(jobStatuses).optional().meta({ description: "Only things with this status." }),
  agent_id: clientId().optional().meta({ description: "Only things of this agent." }),
  user_id: clientId().optional().meta({ description: "Only things of this user." }),
  ...timeRange,
  search: text({ min: 1, max: 200 })
    .optional()
    .meta({ description: "Only things with this text in the id or the name." }),
  ...includeQuery(["input_payload"]),
});
