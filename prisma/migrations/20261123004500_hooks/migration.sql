-- Hooks: addresses whose signed deliveries start runs.
-- CreateEnum
CREATE TYPE "hook_scheme" AS ENUM ('github', 'stripe', 'slack', 'standard', 'hmac', 'none');

-- CreateEnum
CREATE TYPE "hook_respond" AS ENUM ('accepted', 'result');

-- CreateEnum
CREATE TYPE "hook_status" AS ENUM ('active', 'paused');

-- CreateEnum
CREATE TYPE "hook_delivery_status" AS ENUM ('pending', 'accepted', 'filtered', 'failed', 'handshake');

-- CreateTable
CREATE TABLE "hooks" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "agent_id" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "runtime_mode" TEXT NOT NULL,
    "verify" "hook_scheme" NOT NULL,
    "rules" JSON NOT NULL,
    "respond" "hook_respond" NOT NULL DEFAULT 'accepted',
    "status" "hook_status" NOT NULL DEFAULT 'active',
    "description" TEXT,
    "sealed_secret" BYTEA,
    "sealed_previous_secret" BYTEA,
    "previous_secret_until" TIMESTAMPTZ(6),
    "last_refused_at" TIMESTAMPTZ(6),
    "last_refused_code" TEXT,
    "metadata" JSON NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "hooks_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "hook_deliveries" (
    "id" TEXT NOT NULL,
    "hook_id" TEXT NOT NULL,
    "dedupe_key" TEXT,
    "event" TEXT,
    "status" "hook_delivery_status" NOT NULL,
    "run_id" TEXT,
    "error_code" TEXT,
    "error_message" TEXT,
    "bytes" INTEGER NOT NULL,
    "sealed_request" BYTEA,
    "repeats" INTEGER NOT NULL DEFAULT 0,
    "replays" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "hook_deliveries_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "hooks_user_id_created_at_id_idx" ON "hooks"("user_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "hooks_agent_id_idx" ON "hooks"("agent_id");

-- CreateIndex
CREATE INDEX "hook_deliveries_hook_id_created_at_id_idx" ON "hook_deliveries"("hook_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "hook_deliveries_created_at_idx" ON "hook_deliveries"("created_at");

-- CreateIndex
CREATE UNIQUE INDEX "hook_deliveries_hook_id_dedupe_key_key" ON "hook_deliveries"("hook_id", "dedupe_key");

-- AddForeignKey
ALTER TABLE "hooks" ADD CONSTRAINT "hooks_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agents"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "hook_deliveries" ADD CONSTRAINT "hook_deliveries_hook_id_fkey" FOREIGN KEY ("hook_id") REFERENCES "hooks"("id") ON DELETE CASCADE ON UPDATE CASCADE;
