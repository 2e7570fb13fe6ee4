-- Secrets of an owner's agents, and secrets for the versions of a tag. The id is made of owner, agent, tag and name.
CREATE TABLE "secrets" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "agent_id" TEXT,
    "tag" TEXT,
    "name" TEXT NOT NULL,
    "sealed_value" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "secrets_pkey" PRIMARY KEY ("id")
);

ALTER TABLE "secrets" ADD CONSTRAINT "secrets_agent_id_fkey" FOREIGN KEY ("agent_id")
  REFERENCES "agents"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE INDEX "secrets_user_id_name_idx" ON "secrets"("user_id", "name");
CREATE INDEX "secrets_agent_id_idx" ON "secrets"("agent_id");
