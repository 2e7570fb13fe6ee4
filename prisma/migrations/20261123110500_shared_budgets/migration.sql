-- What calls may cost that several runs share a budget for: a tree of runs, a thread, an agent's day.
CREATE TABLE "call_budgets" (
    "kind" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "tokens" BIGINT NOT NULL DEFAULT 0,
    "micro_usd" BIGINT NOT NULL DEFAULT 0,
    "touched_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "call_budgets_pkey" PRIMARY KEY ("kind", "subject")
);

CREATE TABLE "call_reservations" (
    "run_id" TEXT NOT NULL,
    "attempt" INTEGER NOT NULL,
    "call" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "tokens" BIGINT NOT NULL,
    "micro_usd" BIGINT NOT NULL,
    "settled" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "call_reservations_pkey" PRIMARY KEY ("run_id", "attempt", "call", "kind", "subject")
);

CREATE INDEX "call_reservations_kind_subject_idx" ON "call_reservations"("kind", "subject");
