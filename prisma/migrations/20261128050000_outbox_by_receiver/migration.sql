-- What is due of each receiver, so that nobody reads through another one's backlog. It takes the place of outbox_due.
CREATE INDEX CONCURRENTLY "outbox_of_receiver" ON "outbox"((lower("substring"(url, '^[^:]*:/*([^/?#]*)'))), "user_id", (COALESCE("webhook_id", '')), "next_attempt_at", "id") WHERE status = 'pending';
