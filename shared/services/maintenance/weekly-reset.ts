import { resetWeeks } from "../../store/billing/reset-weeks.ts";
import { batchJob } from "./batch-job.ts";

export const weeklyReset = batchJob({
  name: "weekly-reset",
  summary: "Begins a new week for accounts whose week is over.",
  every_ms: 600_000,
  counts: "accounts",
  act: resetWeeks,
});
