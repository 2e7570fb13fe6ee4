-- What a durable run waits for, and what was said to it.
CREATE TABLE "run_waits" (
    "run_id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "number" BIGSERIAL NOT NULL,
    "attempt" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "names" TEXT[],
    "due_at" TIMESTAMPTZ(6),
    "sealed_entry" BYTEA NOT NULL,
    "opened_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "run_waits_pkey" PRIMARY KEY ("run_id","key")
);

CREATE TABLE "run_inputs" (
    "run_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "number" BIGSERIAL NOT NULL,
    "kind" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "sent_id" TEXT NOT NULL,
    "sealed_payload" BYTEA NOT NULL,
    "taken_by" TEXT,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "run_inputs_pkey" PRIMARY KEY ("run_id","id")
);

CREATE UNIQUE INDEX "run_inputs_run_id_kind_name_sent_id_key" ON "run_inputs"("run_id", "kind", "name", "sent_id");

CREATE INDEX "run_inputs_run_id_created_at_id_idx" ON "run_inputs"("run_id", "created_at", "id");

-- The input that an entry has taken.
ALTER TABLE "journal_entries" ADD COLUMN "input_id" TEXT;

-- Up to which entry the run's readers were told of what its waits have come to.
ALTER TABLE "run_journals" ADD COLUMN "told_place" INTEGER NOT NULL DEFAULT 0;

ALTER TYPE "run_status" ADD VALUE 'suspended' AFTER 'interrupted';
