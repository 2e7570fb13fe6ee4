-- Recorded calls that are under way, and who reads their answers.
CREATE TABLE "run_open_calls" (
    "run_id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "attempt" INTEGER NOT NULL,
    "call" INTEGER NOT NULL,
    "read_until" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "run_open_calls_pkey" PRIMARY KEY ("run_id", "key")
);
