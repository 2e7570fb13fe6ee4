-- A service that agents call through the gateway, which adds the secret. The id is made of owner, agent and name.
CREATE TABLE "connections" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "agent_id" TEXT,
    "name" TEXT NOT NULL,
    "preset" TEXT,
    "kind" TEXT NOT NULL,
    "header" TEXT,
    "username" TEXT,
    "base_url" TEXT NOT NULL,
    "sealed_secret" BYTEA NOT NULL,
    "requests_per_minute" INTEGER,
    "tokens_per_minute" INTEGER,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "connections_pkey" PRIMARY KEY ("id")
);

ALTER TABLE "connections" ADD CONSTRAINT "connections_agent_id_fkey" FOREIGN KEY ("agent_id")
  REFERENCES "agents"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE INDEX "connections_user_id_created_at_id_idx" ON "connections"("user_id", "created_at", "id");
CREATE INDEX "connections_agent_id_idx" ON "connections"("agent_id");
