-- Who had an agent's id first: also of agents that were deleted and have runs.
CREATE TABLE "agent_owners" (
    "agent_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    CONSTRAINT "agent_owners_pkey" PRIMARY KEY ("agent_id")
);
INSERT INTO "agent_owners" ("agent_id", "user_id") SELECT "id", "user_id" FROM "agents";
INSERT INTO "agent_owners" ("agent_id", "user_id")
SELECT DISTINCT ON ("agent_id") "agent_id", "user_id" FROM "runs" ORDER BY "agent_id", "created_at" DESC
ON CONFLICT DO NOTHING;
