-- What people have decided on errors that are alike. A group without a row is open.
CREATE TABLE "error_groups" (
    "agent_id" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "changed_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "changed_by" TEXT NOT NULL,

    CONSTRAINT "error_groups_pkey" PRIMARY KEY ("agent_id", "fingerprint")
);

ALTER TABLE "error_groups" ADD CONSTRAINT "error_groups_agent_id_fkey" FOREIGN KEY ("agent_id")
  REFERENCES "agents"("id") ON DELETE CASCADE ON UPDATE CASCADE;
