-- A run whose agent failed by itself, and is to be tried again, waits as `scheduled`.
ALTER TABLE "runs" ADD COLUMN "failed_attempts" INTEGER NOT NULL DEFAULT 0;
-- Its thread waits with it.
DROP INDEX "runs_thread_queue";
CREATE INDEX "runs_thread_queue" ON "runs"("thread_id", "created_at", "id") WHERE status IN ('scheduled', 'queued') AND thread_id IS NOT NULL;
