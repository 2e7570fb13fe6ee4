-- The order in which moves of runs were committed, for those who follow all runs. Moves from before have none.
ALTER TABLE "run_transitions" ADD COLUMN "xact" BIGINT;
ALTER TABLE "run_transitions" ALTER COLUMN "xact" SET DEFAULT ((pg_current_xact_id())::text)::bigint;
CREATE INDEX "run_transitions_by_commit" ON "run_transitions"("xact") WHERE xact IS NOT NULL;
