-- AlterTable
ALTER TABLE "job_ticks" ADD COLUMN     "reason" TEXT;
