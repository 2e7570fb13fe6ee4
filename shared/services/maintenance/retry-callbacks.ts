import { countPostponedMessages, retryMessagesNow } from "../../store/outbox/retry-now.ts";
import { batchJob } from "./batch-job.ts";

/** For use after an outage of the service: postponed callbacks are sent now instead of hours later. */
export const retryCallbacks = batchJob({
  name: "retry-callbacks",
  summary: "Sends callbacks that wait for their next try now. Without this job each callback keeps its schedule.",
  every_ms: null,
  counts: "callbacks",
  act: (db, { batch, dryRun }) => (dryRun ? countPostponedMessages(db) : retryMessagesNow(db, batch)),
});
