-- A host's due messages in the order of their times, so that nobody reads through a dead host's backlog.
CREATE INDEX "outbox_due" ON "outbox"((lower("substring"(url, '^[^:]*:/*([^/?#]*)'))), "next_attempt_at", "id") WHERE status = 'pending';
DROP INDEX "outbox_pending";
