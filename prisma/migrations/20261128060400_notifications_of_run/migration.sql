-- Whoever deletes a run deletes its notifications.
CREATE INDEX CONCURRENTLY "notifications_of_run" ON "notifications"("run_id") WHERE run_id IS NOT NULL;
