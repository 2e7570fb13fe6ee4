CREATE INDEX CONCURRENTLY "runs_by_duration_of_user" ON "runs"("user_id", "duration_ms", "id") WHERE "duration_ms" IS NOT NULL;
