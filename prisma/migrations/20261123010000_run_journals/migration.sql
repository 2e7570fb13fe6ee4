-- What durable runs keep: an entry for each step that is done, and the count of each run's entries.
-- CreateTable
CREATE TABLE "run_journals" (
    "run_id" TEXT NOT NULL,
    "last_place" INTEGER NOT NULL,
    "bytes" BIGINT NOT NULL,

    CONSTRAINT "run_journals_pkey" PRIMARY KEY ("run_id")
);

-- CreateTable
CREATE TABLE "journal_entries" (
    "run_id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "place" INTEGER NOT NULL,
    "attempt" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "writer" TEXT NOT NULL,
    "sealed_entry" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "journal_entries_pkey" PRIMARY KEY ("run_id","key")
);
