CREATE INDEX CONCURRENTLY "usage_records_created_at_id_idx" ON "usage_records"("created_at", "id");
