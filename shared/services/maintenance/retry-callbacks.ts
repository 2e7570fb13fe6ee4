import { countPostponedMessages, retryMessagesNow } from "../../store/outbox/retry-now.ts";
import { batchJob } from "./batch-job.ts";

/** For when what kept callbacks from arriving was on our side: nobody needs to wait for hours then. */
export const retryCallbacks = batchJob({
  name: "retry-callbacks",
  summary: "Makes callbacks that wait for their next try due now. By itself each keeps to its schedule.",
  every_ms: null,
  counts: "callbacks",
  act: (db, { batch, dryRun }) => (dryRun ? countPostponedMessages(db) : retryMessagesNow(db, batch)),
});
