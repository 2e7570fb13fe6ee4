-- By which publishing without a version finds that the same content was published before.
ALTER TABLE "agent_versions" ADD COLUMN "content_hash" BYTEA;
