-- AlterTable
ALTER TABLE "job_ticks" DROP CONSTRAINT "job_ticks_pkey",
ADD COLUMN     "reason" TEXT,
ADD CONSTRAINT "job_ticks_pkey" PRIMARY KEY ("job_id", "scheduled_at", "manual");

-- The partial indexes of schema.prisma's `// sql:` lines.
CREATE INDEX "runs_open_of_job" ON "runs"("job_id")
  WHERE job_id IS NOT NULL AND status IN ('scheduled', 'queued', 'running', 'interrupted');
