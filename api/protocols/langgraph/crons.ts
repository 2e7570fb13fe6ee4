import { z } from "zod";
import { conflict, notFound } from "../../../shared/domain/errors/app-error.ts";
import { firstTick } from "../../../shared/domain/schedule/due-ticks.ts";
import { type JobBody, jobBody } from "../../../shared/schemas/job.ts";
import { choice, laxBool, text } from "../../../shared/schemas/primitives.ts";
import { createJob, type CreateJobDeps } from "../../../shared/services/schedules/create-job.ts";
import { checkJob } from "../../../shared/services/schedules/check-job.ts";
import { rewriteJob } from "../../../shared/services/schedules/rewrite-job.ts";
import { changeJob, deleteJob, findJob } from "../../../shared/store/jobs/change-job.ts";
import { type JobRow, jobToBody } from "../../../shared/store/jobs/job-columns.ts";
import { type CronRow, cronSorts, readCrons, searchCrons } from "../../../shared/store/jobs/search-crons.ts";
import type { Db } from "../../../shared/store/client.ts";
import type { Owner } from "../../../shared/store/owned-by.ts";
import { readThread } from "../../../shared/store/threads/thread-record.ts";
import type { ApiContext } from "../../context.ts";
import type { Operation } from "../../http/define-operation.ts";
import { countedPage, defineRoute, notSupported, select } from "./define-route.ts";
import { refuseUnsupported, runBody, toExecuteRequest, withTheirFields } from "./run-request.ts";
import { threadParams } from "./threads.ts";
import { bytesEach } from "./thread-view.ts";

type Store = Pick<ApiContext, "db">;

const jobParams = z.object({ job_id: text({ max: 512 }) });

const { schedule, timezone, ends_at } = jobBody.shape;

/** A job as a cron. */
const toCron = (job: CronRow) => ({
  cron_id: job.id,
  assistant_id: job.agent_id,
  thread_id: job.thread_id,
  on_run_completed: "keep",
  end_time: job.ends_at?.toISOString() ?? null,
  schedule: job.schedule ?? "",
  timezone: job.timezone,
  created_at: job.created_at.toISOString(),
  updated_at: job.updated_at.toISOString(),
  payload: { assistant_id: job.agent_id, input: job.input_payload },
  user_id: job.user_id,
  next_run_date: job.next_tick_at?.toISOString() ?? null,
  metadata: job.metadata,
  enabled: job.status === "active",
});

async function getCron(db: Db, id: string, owner: Owner) {
  const [job] = await readCrons(db, [id], owner, bytesEach(1));
  if (!job) throw notFound("job", id);
  return toCron(job);
}

const cronBody = runBody.extend({
  schedule,
  timezone: timezone.optional(),
  end_time: ends_at,
  enabled: laxBool().nullish(),
  on_run_completed: choice(["delete", "keep"]).nullish(),
});

const places = [
  { path: "/threads/{thread_id}/runs/crons", params: threadParams },
  { path: "/runs/crons", params: z.object({}) },
];

const creations = places.map(({ path, params }) =>
  defineRoute({
    method: "post",
    path,
    name: "create_cron",
    scope: "jobs:write",
    audit: "job",
    request: { params, body: cronBody },
    async handle(ctx: CreateJobDeps, input) {
      const { body, caller } = input;
      refuseUnsupported(body);
      if (body.command?.resume !== undefined) throw notSupported("command", "A cron starts runs. It can't answer one.");
      const thread_id = "thread_id" in input.params ? String(input.params.thread_id) : null;
      const isKnown = thread_id === null || (await readThread(ctx.db, thread_id, caller.owner)) !== null;
      if (!isKnown && body.if_not_exists !== "create") throw notFound("thread", thread_id ?? "");
      const id = await withTheirFields(async () => {
        const request = await toExecuteRequest(ctx.db, body, thread_id, caller.owner);
        const { timezone: zone, end_time, metadata } = body;
        const job = jobBody.parse({ ...request, schedule: body.schedule, metadata, ...(zone && { timezone: zone }) });
        return createJob(ctx, { ...job, ends_at: end_time }, caller.owner);
      });
      if (body.enabled === false) await setEnabled(ctx, id, caller.owner, false);
      return { status: 200, body: { ...(await getCron(ctx.db, id, caller.owner)), id } };
    },
  }),
);

/** Pauses a job, or lets it go on. */
async function setEnabled(ctx: Pick<CreateJobDeps, "db" | "ticks">, id: string, owner: Owner, enabled: boolean) {
  await changeJob(ctx.db, id, owner, (job, now) => {
    if (job.status !== "active" && job.status !== "paused")
      throw conflict("job_ended", `The job is ${job.status} and can't be changed. Create a new one.`);
    if (enabled === (job.status === "active")) return null;
    if (!enabled) return { status: "paused", next_tick_at: null };
    const next_tick_at = firstTick(job, now);
    return { status: next_tick_at ? "active" : "completed", next_tick_at };
  });
}

const cronPatch = z.object({
  schedule: schedule.optional(),
  timezone: timezone.optional(),
  end_time: ends_at.optional(),
  input: z.unknown().optional(),
  metadata: runBody.shape.metadata,
  config: z.unknown().optional(),
  context: z.unknown().optional(),
  webhook: runBody.shape.webhook,
  interrupt_before: z.unknown().optional(),
  interrupt_after: z.unknown().optional(),
  on_run_completed: choice(["delete", "keep"]).nullish(),
  enabled: laxBool().nullish(),
});
type CronPatch = z.output<typeof cronPatch>;

/** Returns the body that would create the changed job. */
function patched({ config }: Pick<CreateJobDeps, "config">, job: JobRow, patch: CronPatch): JobBody {
  const { input, end_time, webhook, schedule: times, timezone: zone, metadata } = patch;
  const changed = { schedule: times, timezone: zone, metadata, input_payload: input, completion_callback_url: webhook };
  const given = Object.fromEntries(Object.entries(changed).filter(([, value]) => value != null));
  const body = jobBody.parse({ ...jobToBody(config.encryptionKeys, job), ...given });
  return end_time === undefined ? body : { ...body, ends_at: end_time };
}

const update = defineRoute({
  method: "patch",
  path: "/runs/crons/{job_id}",
  name: "update_cron",
  scope: "jobs:write",
  audit: "job",
  request: { params: jobParams, body: cronPatch },
  async handle(ctx: CreateJobDeps, { params: { job_id }, body: patch, caller }) {
    const { owner } = caller;
    refuseUnsupported({ ...patch, after_seconds: null, command: null });
    if (patch.input != null && (typeof patch.input !== "object" || Array.isArray(patch.input)))
      throw notSupported("input", "The input must be an object.");
    const seen = await findJob(ctx.db, job_id, owner);
    if (!seen) throw notFound("job", job_id);
    await withTheirFields(() => checkJob(ctx, patched(ctx, seen, patch), owner));
    await changeJob(ctx.db, job_id, owner, (job, now) =>
      rewriteJob(ctx.config.encryptionKeys, job, { now, body: patched(ctx, job, patch) }),
    );
    if (patch.enabled != null) await setEnabled(ctx, job_id, owner, patch.enabled);
    const cron = await getCron(ctx.db, job_id, owner);
    if (cron.next_run_date !== null) void ctx.ticks.arm(job_id, new Date(cron.next_run_date));
    return { status: 200, body: cron };
  },
});

const remove = defineRoute({
  method: "delete",
  path: "/runs/crons/{job_id}",
  name: "delete_cron",
  scope: "jobs:write",
  audit: "job",
  request: { params: jobParams },
  async handle({ db }: Store, { params: { job_id }, caller }) {
    if (!(await deleteJob(db, job_id, caller.owner))) throw notFound("job", job_id);
    return { status: 204 };
  },
});

const filter = {
  assistant_id: text({ max: 512 }).nullish(),
  thread_id: text({ max: 512 }).nullish(),
  enabled: laxBool().nullish(),
};
type Filter = z.output<z.ZodObject<typeof filter>>;

const searchOf = ({ assistant_id = null, thread_id = null, enabled = null }: Filter) => ({
  agent_id: assistant_id,
  thread_id,
  enabled,
});

const search = defineRoute({
  method: "post",
  path: "/runs/crons/search",
  name: "search_crons",
  scope: "jobs:read",
  request: {
    body: z
      .object({
        ...filter,
        ...countedPage,
        sort_by: choice(cronSorts).nullish(),
        sort_order: choice(["asc", "desc"]).nullish(),
        select: z.array(z.string()).max(100).nullish(),
      })
      .prefault({}),
  },
  async handle({ db }: Store, { body, caller }) {
    const { limit, offset, sort_by, sort_order } = body;
    const order = { sort_by: sort_by ?? "created_at", descending: sort_order !== "asc", limit, offset };
    const { ids, total } = await searchCrons(db, caller.owner, searchOf(body), order);
    const crons = await readCrons(db, ids, caller.owner, bytesEach(ids.length));
    const shown = crons.map((cron) => select(toCron(cron), body.select));
    return { status: 200, body: shown, headers: { "X-Pagination-Total": String(total) } };
  },
});

const count = defineRoute({
  method: "post",
  path: "/runs/crons/count",
  name: "count_crons",
  scope: "jobs:read",
  request: { body: z.object(filter).prefault({}) },
  async handle({ db }: Store, { body, caller }) {
    const order = { sort_by: "created_at", descending: true, limit: 1, offset: 0 } as const;
    return { status: 200, body: (await searchCrons(db, caller.owner, searchOf(body), order)).total };
  },
});

/** Crons are scheduled jobs. */
export const cronRoutes: readonly Operation<ApiContext>[] = [...creations, search, count, update, remove];
