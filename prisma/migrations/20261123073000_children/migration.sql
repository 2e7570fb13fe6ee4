-- Runs that runs start.
ALTER TYPE "run_origin" ADD VALUE 'run';

ALTER TABLE "runs" ADD COLUMN "parent_run_id" TEXT, ADD COLUMN "root_run_id" TEXT, ADD COLUMN "parent_key" TEXT,
  ADD COLUMN "depth" INTEGER NOT NULL DEFAULT 0, ADD COLUMN "detached" BOOLEAN NOT NULL DEFAULT false,
  ADD COLUMN "tells_parent" BOOLEAN NOT NULL DEFAULT false, ADD COLUMN "has_children" BOOLEAN NOT NULL DEFAULT false;

CREATE INDEX "runs_of_parent" ON "runs"("parent_run_id", "created_at", "id") WHERE "parent_run_id" IS NOT NULL;
CREATE INDEX "runs_of_root" ON "runs"("root_run_id", "created_at", "id") WHERE "root_run_id" IS NOT NULL;
CREATE INDEX "runs_telling" ON "runs"("parent_run_id") WHERE "tells_parent" AND "completed_at" IS NOT NULL;
CREATE INDEX "runs_leaving" ON "runs"("id") WHERE "has_children" AND "completed_at" IS NOT NULL;
CREATE INDEX "runs_cancelling" ON "runs"("id")
  WHERE "cancel_requested_at" IS NOT NULL AND "status" IN ('scheduled', 'queued', 'interrupted', 'suspended');

ALTER TABLE "run_waits" ADD COLUMN "child_id" TEXT;
ALTER TABLE "journal_entries" ADD COLUMN "child_id" TEXT;

-- What an agent's names meant before they were moved.
CREATE TABLE "agent_moves" (
    "agent_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "before" TEXT,
    "at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "number" BIGSERIAL NOT NULL,

    CONSTRAINT "agent_moves_pkey" PRIMARY KEY ("agent_id", "name", "number")
);

CREATE INDEX "agent_moves_at_idx" ON "agent_moves"("at");

CREATE FUNCTION note_current_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO agent_moves (agent_id, name, before, at) VALUES (OLD.id, 'current', OLD.current_version, clock_timestamp());
  RETURN NULL;
END $$;
CREATE TRIGGER current_moved AFTER UPDATE OF current_version ON "agents" FOR EACH ROW
  WHEN (OLD.current_version IS DISTINCT FROM NEW.current_version) EXECUTE FUNCTION note_current_moved();

CREATE FUNCTION note_tag_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO agent_moves (agent_id, name, before, at)
  VALUES (coalesce(NEW.agent_id, OLD.agent_id), coalesce(NEW.tag, OLD.tag), OLD.version, clock_timestamp());
  RETURN NULL;
END $$;
CREATE TRIGGER tag_moved AFTER INSERT OR UPDATE OR DELETE ON "agent_tags" FOR EACH ROW EXECUTE FUNCTION note_tag_moved();
