-- Those that RUN_RETENTION_DAYS deletes.
CREATE INDEX CONCURRENTLY "jobs_over" ON "jobs"("updated_at") WHERE status IN ('completed', 'cancelled');
