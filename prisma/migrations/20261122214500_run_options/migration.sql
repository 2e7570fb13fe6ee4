-- What a request asks of its run, as it asked; null for a run of a request that asks nothing.
ALTER TABLE "runs" ADD COLUMN "request_options" JSON,
  ADD COLUMN "priority" INTEGER,
  ADD COLUMN "concurrency_key" TEXT,
  ADD COLUMN "key_concurrency" INTEGER,
  ADD COLUMN "key_slot" INTEGER,
  ADD COLUMN "debounce_key" TEXT;

-- Each is empty, and costs a plain run nothing but its predicate, until a request uses the option.
CREATE INDEX "runs_scheduled" ON "runs"("scheduled_at") WHERE status = 'scheduled';
CREATE INDEX "runs_prioritized" ON "runs"("user_id", "created_at") WHERE status = 'queued' AND priority IS NOT NULL;
CREATE UNIQUE INDEX "runs_key_slots" ON "runs"("agent_id", "concurrency_key", "key_slot")
  WHERE status = 'running' AND key_slot IS NOT NULL;
CREATE UNIQUE INDEX "runs_debounced" ON "runs"("agent_id", "debounce_key")
  WHERE status = 'scheduled' AND debounce_key IS NOT NULL;

-- The runs of a job's schedule start up to this much after their ticks.
ALTER TABLE "jobs" ADD COLUMN "jitter_ms" INTEGER;

-- What a webhook hears of, beside the types of its events; empty: everything.
ALTER TABLE "webhooks" ADD COLUMN "agent_ids" TEXT[] DEFAULT ARRAY[]::TEXT[],
  ADD COLUMN "statuses" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- When a delayed run was to join the queue: its place among the runs of its thread. It stays when the run starts.
ALTER TABLE "runs" ADD COLUMN "due_at" TIMESTAMPTZ(6);
CREATE INDEX "runs_delayed_of_thread" ON "runs"("thread_id", "due_at", "id")
  WHERE due_at IS NOT NULL AND thread_id IS NOT NULL;

-- Requests a minute: of a key, and of each user of a plan. Null: as the deployment says.
ALTER TABLE "api_keys" ADD COLUMN "requests_per_minute" INTEGER;
ALTER TABLE "plans" ADD COLUMN "requests_per_minute" INTEGER;
