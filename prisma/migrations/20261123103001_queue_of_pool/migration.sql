CREATE INDEX CONCURRENTLY "runs_queued_of_pool" ON "runs"("pool", "created_at") WHERE "status" = 'queued';
