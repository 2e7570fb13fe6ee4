-- What operators need: a queue that stands still, and how long runs waited.
-- CreateTable
CREATE TABLE "queue_pauses" (
    "name" TEXT NOT NULL,
    "paused_by" TEXT NOT NULL,
    "paused_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "queue_pauses_pkey" PRIMARY KEY ("name")
);

-- AlterTable
ALTER TABLE "run_rollups" ADD COLUMN     "queue_histogram" INTEGER[] DEFAULT ARRAY[]::INTEGER[];
