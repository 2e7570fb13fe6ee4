CREATE INDEX CONCURRENTLY "ledger_transactions_created_at_id_idx" ON "ledger_transactions"("created_at", "id");
