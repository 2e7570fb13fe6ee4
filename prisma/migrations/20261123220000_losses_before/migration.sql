-- A run whose journal grows is not ended by what it lost before.
ALTER TABLE "run_journals" ADD COLUMN "lost_before" INTEGER NOT NULL DEFAULT 0;
