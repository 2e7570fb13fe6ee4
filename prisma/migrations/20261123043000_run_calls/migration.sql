-- Calls of runs to connections, as the gateway saw them.
CREATE TABLE "run_calls" (
    "id" TEXT NOT NULL,
    "run_id" TEXT NOT NULL,
    "attempt" INTEGER NOT NULL,
    "call" INTEGER NOT NULL,
    "connection" TEXT NOT NULL,
    "method" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "path" TEXT NOT NULL,
    "status" INTEGER,
    "model" TEXT,
    "counted" TEXT,
    "input_tokens" BIGINT NOT NULL DEFAULT 0,
    "cached_tokens" BIGINT NOT NULL DEFAULT 0,
    "output_tokens" BIGINT NOT NULL DEFAULT 0,
    "cost_micro_usd" BIGINT,
    "request_bytes" BIGINT NOT NULL DEFAULT 0,
    "response_bytes" BIGINT NOT NULL DEFAULT 0,
    "duration_ms" INTEGER NOT NULL,
    "recorded" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "run_calls_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "run_calls_run_id_created_at_id_idx" ON "run_calls"("run_id", "created_at", "id");
