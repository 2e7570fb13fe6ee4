-- Browsers that are signed in, and the codes that sign one in once. Of their secrets only a SHA-256 is kept.
CREATE TABLE "sessions" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "secret_hash" BYTEA NOT NULL,
    "principal_kind" TEXT NOT NULL,
    "principal_id" TEXT NOT NULL,
    "scopes" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "ip" TEXT,
    "user_agent" TEXT,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_used_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "sessions_pkey" PRIMARY KEY ("id")
);

ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_fkey" FOREIGN KEY ("user_id")
  REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE INDEX "sessions_user_id_created_at_id_idx" ON "sessions"("user_id", "created_at", "id");
CREATE INDEX "sessions_principal_id_idx" ON "sessions"("principal_id");
CREATE INDEX "sessions_expires_at_idx" ON "sessions"("expires_at");

CREATE TABLE "session_codes" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "secret_hash" BYTEA NOT NULL,
    "principal_kind" TEXT NOT NULL,
    "principal_id" TEXT NOT NULL,
    "scopes" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "session_codes_pkey" PRIMARY KEY ("id")
);

ALTER TABLE "session_codes" ADD CONSTRAINT "session_codes_user_id_fkey" FOREIGN KEY ("user_id")
  REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE INDEX "session_codes_user_id_idx" ON "session_codes"("user_id");
CREATE INDEX "session_codes_expires_at_idx" ON "session_codes"("expires_at");
