CREATE INDEX CONCURRENTLY "runs_by_duration" ON "runs"("duration_ms", "id") WHERE "duration_ms" IS NOT NULL;
