CREATE INDEX CONCURRENTLY "usage_records_run_id_idx" ON "usage_records"("run_id");
