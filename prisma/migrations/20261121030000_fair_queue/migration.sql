-- How many runs of its agent may run at once, as the run's version says, and which of those places the run has.
-- AlterTable
ALTER TABLE "runs" ADD COLUMN     "concurrency" INTEGER,
ADD COLUMN     "concurrency_slot" INTEGER;

-- By hand, as Prisma has no word for them.
CREATE UNIQUE INDEX "runs_concurrency_slots" ON "runs"("agent_id", "concurrency_slot")
  WHERE status = 'running' AND concurrency_slot IS NOT NULL;
-- The owners who wait, and the oldest run of each.
CREATE INDEX "runs_queued_by_owner" ON "runs"("user_id", "created_at") WHERE status = 'queued';
