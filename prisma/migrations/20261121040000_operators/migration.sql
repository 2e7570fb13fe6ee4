-- What operators and Studio need: paused queues, workers that are sent away, what is no longer kept, and the lists' and figures' indexes.
-- AlterTable
ALTER TABLE "runs" ADD COLUMN     "purged_at" TIMESTAMPTZ(6);

-- AlterTable
ALTER TABLE "workers" ADD COLUMN     "dismissal" TEXT;

-- CreateTable
CREATE TABLE "queue_pauses" (
    "name" TEXT NOT NULL,
    "paused_by" TEXT NOT NULL,
    "paused_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "queue_pauses_pkey" PRIMARY KEY ("name")
);

-- CreateEnum
CREATE TYPE "rollup_span" AS ENUM ('half_hour', 'day');

-- DropIndex
DROP INDEX "run_rollups_hour_idx";

-- AlterTable
ALTER TABLE "run_rollups" DROP CONSTRAINT "run_rollups_pkey",
DROP COLUMN "duration_histogram",
DROP COLUMN "hour",
DROP COLUMN "token_histogram",
ADD COLUMN     "begins_at" TIMESTAMPTZ(6) NOT NULL,
ADD COLUMN     "duration_histogram" JSON NOT NULL DEFAULT '[]',
ADD COLUMN     "queue_histogram" JSON NOT NULL DEFAULT '[]',
ADD COLUMN     "span" "rollup_span" NOT NULL,
ADD COLUMN     "token_histogram" JSON NOT NULL DEFAULT '[]',
ADD CONSTRAINT "run_rollups_pkey" PRIMARY KEY ("user_id", "agent_id", "version", "span", "begins_at");

-- CreateIndex
CREATE INDEX "run_rollups_span_begins_at_idx" ON "run_rollups"("span", "begins_at");

-- CreateIndex
CREATE INDEX "threads_agent_id_created_at_idx" ON "threads"("agent_id", "created_at");

-- CreateIndex
CREATE INDEX "outbox_tries_at_idx" ON "outbox_tries"("at");

-- CreateIndex
CREATE INDEX "job_ticks_created_at_idx" ON "job_ticks"("created_at");

-- By hand: the partial indexes that the schema names.
CREATE INDEX "runs_purgeable" ON "runs"("completed_at") WHERE completed_at IS NOT NULL AND purged_at IS NULL;
CREATE INDEX "runs_unsuccessful" ON "runs"("status", "created_at", "id")
  WHERE status IN ('scheduled', 'interrupted', 'error', 'timeout', 'cancelled', 'expired');
CREATE INDEX "runs_unsuccessful_of_user" ON "runs"("user_id", "status", "created_at", "id")
  WHERE status IN ('scheduled', 'interrupted', 'error', 'timeout', 'cancelled', 'expired');
CREATE INDEX "runs_unsuccessful_of_agent" ON "runs"("agent_id", "status", "created_at", "id")
  WHERE status IN ('scheduled', 'interrupted', 'error', 'timeout', 'cancelled', 'expired');
CREATE INDEX "outbox_ended_deliveries" ON "outbox"("created_at") WHERE webhook_id IS NOT NULL AND status <> 'pending';
CREATE INDEX "notifications_read" ON "notifications"("read_at") WHERE read_at IS NOT NULL;
CREATE INDEX "api_keys_of_runs" ON "api_keys"("expires_at") WHERE run_id IS NOT NULL;
