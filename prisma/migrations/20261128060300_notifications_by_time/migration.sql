CREATE INDEX CONCURRENTLY "notifications_created_at_id_idx" ON "notifications"("created_at", "id");
