import { ticksAfter } from "../../shared/domain/schedule/due-ticks.ts";
import { schedulePreview, schedulePreviewBody } from "../../shared/schemas/job.ts";
import { firstTickOf } from "../../shared/services/schedules/first-tick-of.ts";
import { readClock } from "../../shared/store/read-clock.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { collectTicks } from "./collect-ticks.ts";

export const previewSchedule = defineOperation({
  method: "post",
  path: "/v1/jobs/preview",
  name: "preview_schedule",
  area: "Jobs",
  scope: "jobs:read",
  audit: { none: "It changes nothing." },
  summary: "The next ticks of a schedule",
  description: "Use it while a schedule is being written: it makes no job. A fault of the schedule is a 422.",
  request: { body: schedulePreviewBody },
  responses: { 200: { description: "The next ticks", schema: schedulePreview } },
  async handle({ db }: Pick<ApiContext, "db">, { body: { schedule, timezone, ends_at = null, count } }) {
    const timing = { schedule, timezone, ends_at };
    const first = firstTickOf(timing, await readClock(db));
    const ticks = [first, ...(await collectTicks(ticksAfter(timing, first), count - 1))];
    return { status: 200, body: { data: ticks.map((tick) => ({ scheduled_at: tick.toISOString() })) } };
  },
});
