-- Which worker keeps a thread's process between its runs of lifecycle `interactive`.
-- AlterTable
ALTER TABLE "threads" ADD COLUMN     "session_until" TIMESTAMPTZ(6),
ADD COLUMN     "session_worker_id" TEXT;
