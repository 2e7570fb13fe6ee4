-- A number that is another one after whatever changed what a request of the agent would run: its row, a version, a tag.
-- By triggers, so that no statement can forget it; of a sequence, so that an agent that is deleted and made anew has none
-- of those that it had.
ALTER TABLE "agents" ADD COLUMN "revision" BIGSERIAL NOT NULL;

CREATE FUNCTION renew_agent_revision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.revision := nextval('agents_revision_seq');
  RETURN NEW;
END $$;
CREATE TRIGGER agent_changed BEFORE UPDATE ON "agents" FOR EACH ROW EXECUTE FUNCTION renew_agent_revision();

CREATE FUNCTION renew_revision_of_agent() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE agents SET revision = revision WHERE id = coalesce(NEW.agent_id, OLD.agent_id);
  RETURN NULL;
END $$;
CREATE TRIGGER version_changed AFTER INSERT OR UPDATE OR DELETE ON "agent_versions"
  FOR EACH ROW EXECUTE FUNCTION renew_revision_of_agent();
CREATE TRIGGER tag_changed AFTER INSERT OR UPDATE OR DELETE ON "agent_tags"
  FOR EACH ROW EXECUTE FUNCTION renew_revision_of_agent();
