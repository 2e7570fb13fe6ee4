-- Lists of the runs that ran another run again.
CREATE INDEX "runs_again" ON "runs"("replay_of", "created_at", "id") WHERE "replay_of" IS NOT NULL;
