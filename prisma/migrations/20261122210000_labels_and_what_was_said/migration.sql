-- Tags of runs and threads, and the words by which a list finds them: their tags and the entries of their metadata. The indexes
-- have only rows with such words.
ALTER TABLE "runs" ADD COLUMN "tags" TEXT[] NOT NULL DEFAULT '{}', ADD COLUMN "labels" TEXT[] NOT NULL DEFAULT '{}';
ALTER TABLE "threads" ADD COLUMN "tags" TEXT[] NOT NULL DEFAULT '{}', ADD COLUMN "labels" TEXT[] NOT NULL DEFAULT '{}';
CREATE INDEX "runs_labels" ON "runs" USING gin ("labels") WHERE labels <> '{}';
CREATE INDEX "threads_labels" ON "threads" USING gin ("labels") WHERE labels <> '{}';
-- What an agent said besides its result, and how large a message is: a page and a run's history end at a number of bytes.
ALTER TABLE "thread_messages" ADD COLUMN "said" JSON, ADD COLUMN "bytes" INTEGER;
-- Whoever ends a run that a worker may still hold raises its attempt. That is no attempt of the agent's.
ALTER TABLE "runs" ADD COLUMN "taken_over" BOOLEAN NOT NULL DEFAULT false;
-- The history and the state of a job's runs, which no list reads.
ALTER TABLE "jobs" ADD COLUMN "run_context" JSON;
-- Threads that have metadata are found by it. Texts with escapes are left out: Postgres' texts can't hold all of them.
UPDATE "threads" SET "labels" = ARRAY(
  SELECT 'metadata:' || key || '=' || (value #>> '{}') FROM json_each("metadata")
  WHERE json_typeof(value) IN ('string', 'number', 'boolean') AND length(key) <= 64 AND length(value #>> '{}') <= 256 LIMIT 64)
WHERE "metadata"::text <> '{}' AND position('\u' IN "metadata"::text) = 0;
