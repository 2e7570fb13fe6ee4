-- What is made of a version's code before its first run: bundled modules, locked packages.
CREATE TYPE "build_state" AS ENUM ('building', 'ready', 'failed');

CREATE TABLE "builds" (
    "agent_id" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "adapter" TEXT NOT NULL,
    "state" "build_state" NOT NULL DEFAULT 'building',
    "log" TEXT NOT NULL DEFAULT '',
    "error" TEXT,
    "lock" TEXT,
    "output" JSON,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "worker_id" TEXT,
    "lease_until" TIMESTAMPTZ(6),
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "started_at" TIMESTAMPTZ(6),
    "ended_at" TIMESTAMPTZ(6),

    CONSTRAINT "builds_pkey" PRIMARY KEY ("agent_id","version")
);

ALTER TABLE "builds" ADD CONSTRAINT "builds_agent_id_version_fkey" FOREIGN KEY ("agent_id", "version")
  REFERENCES "agent_versions"("agent_id", "version") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE INDEX "builds_open" ON "builds"("created_at") WHERE state = 'building';

-- A worker's cached version is outdated when its build has ended.
CREATE TRIGGER build_changed AFTER UPDATE OF state ON "builds" FOR EACH ROW EXECUTE FUNCTION renew_revision_of_agent();
