-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateEnum
CREATE TYPE "agent_status" AS ENUM ('active', 'paused', 'archived');

-- CreateEnum
CREATE TYPE "version_status" AS ENUM ('active', 'deprecated', 'archived');

-- CreateEnum
CREATE TYPE "run_status" AS ENUM ('scheduled', 'queued', 'running', 'interrupted', 'success', 'error', 'timeout', 'cancelled', 'expired');

-- CreateEnum
CREATE TYPE "run_origin" AS ENUM ('api', 'job', 'daemon', 'replay');

-- CreateEnum
CREATE TYPE "bulk_action" AS ENUM ('cancel', 'replay');

-- CreateEnum
CREATE TYPE "bulk_status" AS ENUM ('pending', 'running', 'done', 'error');

-- CreateEnum
CREATE TYPE "outbox_status" AS ENUM ('pending', 'delivered', 'exhausted');

-- CreateEnum
CREATE TYPE "webhook_status" AS ENUM ('active', 'paused', 'disabled');

-- CreateEnum
CREATE TYPE "daemon_desired" AS ENUM ('running', 'paused', 'stopped');

-- CreateEnum
CREATE TYPE "daemon_status" AS ENUM ('stopped', 'starting', 'running', 'degraded', 'paused', 'stopping', 'crashed', 'backoff', 'failed');

-- CreateEnum
CREATE TYPE "message_status" AS ENUM ('queued', 'delivered', 'done', 'failed');

-- CreateEnum
CREATE TYPE "job_status" AS ENUM ('active', 'paused', 'completed', 'cancelled');

-- CreateEnum
CREATE TYPE "job_overlap" AS ENUM ('skip', 'allow', 'cancel_previous');

-- CreateEnum
CREATE TYPE "job_catch_up" AS ENUM ('none', 'last');

-- CreateEnum
CREATE TYPE "tick_outcome" AS ENUM ('fired', 'skipped', 'missed');

-- CreateEnum
CREATE TYPE "notification_level" AS ENUM ('info', 'warning', 'error');

-- CreateEnum
CREATE TYPE "spend_period" AS ENUM ('day', 'week', 'month');

-- CreateEnum
CREATE TYPE "subscription_status" AS ENUM ('incomplete', 'incomplete_expired', 'trialing', 'active', 'past_due', 'unpaid', 'paused', 'canceled');

-- CreateEnum
CREATE TYPE "ledger_account_kind" AS ENUM ('wallet', 'revenue', 'provider', 'grant');

-- CreateEnum
CREATE TYPE "internal_job_status" AS ENUM ('running', 'success', 'error');

-- CreateTable
CREATE TABLE "users" (
    "id" TEXT NOT NULL,
    "name" TEXT,
    "email" TEXT,
    "metadata" JSON NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deleted_at" TIMESTAMPTZ(6),

    CONSTRAINT "users_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "callback_secrets" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "sealed_secret" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(6),

    CONSTRAINT "callback_secrets_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_keys" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "name" TEXT,
    "secret_hash" BYTEA NOT NULL,
    "scopes" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "run_id" TEXT,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(6),
    "last_used_at" TIMESTAMPTZ(6),
    "revoked_at" TIMESTAMPTZ(6),

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "idempotency_keys" (
    "user_id" TEXT NOT NULL,
    "route" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "request_hash" BYTEA NOT NULL,
    "status_code" INTEGER,
    "response" JSON,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("user_id","route","key")
);

-- CreateTable
CREATE TABLE "agents" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "current_version" TEXT NOT NULL,
    "status" "agent_status" NOT NULL DEFAULT 'active',
    "metadata" JSON NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "agents_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "agent_versions" (
    "agent_id" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "config" JSON NOT NULL,
    "status" "version_status" NOT NULL DEFAULT 'active',
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "agent_versions_pkey" PRIMARY KEY ("agent_id","version")
);

-- CreateTable
CREATE TABLE "agent_tags" (
    "agent_id" TEXT NOT NULL,
    "tag" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "agent_tags_pkey" PRIMARY KEY ("agent_id","tag")
);

-- CreateTable
CREATE TABLE "agent_secrets" (
    "agent_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "sealed_value" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "agent_secrets_pkey" PRIMARY KEY ("agent_id","name")
);

-- CreateTable
CREATE TABLE "threads" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "agent_id" TEXT,
    "title" TEXT,
    "metadata" JSON NOT NULL DEFAULT '{}',
    "state_snapshot" JSON,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "forked_from" TEXT,

    CONSTRAINT "threads_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "thread_messages" (
    "thread_id" TEXT NOT NULL,
    "seq" BIGSERIAL NOT NULL,
    "run_id" TEXT,
    "role" TEXT NOT NULL,
    "content" JSON NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "thread_messages_pkey" PRIMARY KEY ("thread_id","seq")
);

-- CreateTable
CREATE TABLE "runs" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "agent_id" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "thread_id" TEXT,
    "status" "run_status" NOT NULL DEFAULT 'queued',
    "attempt" INTEGER NOT NULL DEFAULT 0,
    "lost_attempts" INTEGER NOT NULL DEFAULT 0,
    "max_attempts" INTEGER NOT NULL,
    "last_seq" INTEGER NOT NULL DEFAULT 1,
    "adapter_type" TEXT NOT NULL,
    "runtime_mode" TEXT NOT NULL,
    "lifecycle" TEXT NOT NULL,
    "timeout_ms" INTEGER NOT NULL,
    "input_payload" JSON NOT NULL,
    "history" JSON NOT NULL,
    "env_names" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "files" JSON NOT NULL,
    "request_hash" BYTEA NOT NULL,
    "state_snapshot" JSON,
    "result_content" JSON,
    "error" JSON,
    "usage" JSON,
    "sandbox" JSON,
    "current_status" TEXT,
    "wait_reason" TEXT,
    "worker_id" TEXT,
    "lease_until" TIMESTAMPTZ(6),
    "cancel_requested_at" TIMESTAMPTZ(6),
    "expires_at" TIMESTAMPTZ(6) NOT NULL,
    "completion_callback_url" TEXT,
    "traceparent" TEXT,
    "origin" "run_origin" NOT NULL DEFAULT 'api',
    "replay_of" TEXT,
    "job_id" TEXT,
    "scheduled_at" TIMESTAMPTZ(6),
    "metadata" JSON NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "started_at" TIMESTAMPTZ(6),
    "completed_at" TIMESTAMPTZ(6),
    "duration_ms" INTEGER,

    CONSTRAINT "runs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "run_secrets" (
    "run_id" TEXT NOT NULL,
    "sealed_env" BYTEA,
    "sealed_files" BYTEA,

    CONSTRAINT "run_secrets_pkey" PRIMARY KEY ("run_id")
);

-- CreateTable
CREATE TABLE "transcript_chunks" (
    "run_id" TEXT NOT NULL,
    "attempt" INTEGER NOT NULL,
    "first_seq" INTEGER NOT NULL,
    "last_seq" INTEGER NOT NULL,
    "events" JSON NOT NULL,

    CONSTRAINT "transcript_chunks_pkey" PRIMARY KEY ("run_id","attempt","first_seq")
);

-- CreateTable
CREATE TABLE "run_transitions" (
    "run_id" TEXT NOT NULL,
    "seq" BIGSERIAL NOT NULL,
    "attempt" INTEGER NOT NULL,
    "from" "run_status",
    "to" "run_status" NOT NULL,
    "actor" TEXT NOT NULL,
    "reason" TEXT,
    "at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "run_transitions_pkey" PRIMARY KEY ("run_id","seq")
);

-- CreateTable
CREATE TABLE "interrupts" (
    "run_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "attempt" INTEGER NOT NULL,
    "reason" TEXT NOT NULL,
    "message" TEXT,
    "response_schema" JSON,
    "response" JSON,
    "answered_by" TEXT,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "answered_at" TIMESTAMPTZ(6),
    "expires_at" TIMESTAMPTZ(6),

    CONSTRAINT "interrupts_pkey" PRIMARY KEY ("run_id","id")
);

-- CreateTable
CREATE TABLE "artifacts" (
    "id" TEXT NOT NULL,
    "run_id" TEXT NOT NULL,
    "attempt" INTEGER NOT NULL,
    "seq" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "mime" TEXT NOT NULL,
    "size" BIGINT NOT NULL,
    "sha256" BYTEA NOT NULL,
    "content" BYTEA,
    "storage_key" TEXT,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "artifacts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "bulk_operations" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "action" "bulk_action" NOT NULL,
    "filter" JSON NOT NULL,
    "options" JSON NOT NULL DEFAULT '{}',
    "status" "bulk_status" NOT NULL DEFAULT 'pending',
    "total" INTEGER NOT NULL,
    "done" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "cursor" TEXT,
    "lease_until" TIMESTAMPTZ(6),
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(6),

    CONSTRAINT "bulk_operations_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "outbox" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "run_id" TEXT,
    "webhook_id" TEXT,
    "type" TEXT NOT NULL,
    "payload" JSON,
    "url" TEXT NOT NULL,
    "status" "outbox_status" NOT NULL DEFAULT 'pending',
    "tries" INTEGER NOT NULL DEFAULT 0,
    "last_error" TEXT,
    "next_attempt_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "lease_until" TIMESTAMPTZ(6),
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "delivered_at" TIMESTAMPTZ(6),

    CONSTRAINT "outbox_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "outbox_tries" (
    "outbox_id" TEXT NOT NULL,
    "try" INTEGER NOT NULL,
    "status_code" INTEGER,
    "error" TEXT,
    "duration_ms" INTEGER NOT NULL,
    "at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "outbox_tries_pkey" PRIMARY KEY ("outbox_id","try")
);

-- CreateTable
CREATE TABLE "webhooks" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "description" TEXT,
    "events" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "status" "webhook_status" NOT NULL DEFAULT 'active',
    "disabled_reason" TEXT,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "metadata" JSON NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhooks_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_secrets" (
    "id" TEXT NOT NULL,
    "webhook_id" TEXT NOT NULL,
    "sealed_secret" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(6),

    CONSTRAINT "webhook_secrets_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "workers" (
    "id" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "pid" INTEGER NOT NULL,
    "software" TEXT NOT NULL,
    "slots" INTEGER NOT NULL,
    "busy" INTEGER NOT NULL DEFAULT 0,
    "adapters" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "sandbox" JSON NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'active',
    "started_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "heartbeat_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "workers_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "daemons" (
    "agent_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "desired" "daemon_desired" NOT NULL DEFAULT 'stopped',
    "version" TEXT NOT NULL,
    "previous_version" TEXT,
    "watch_until" TIMESTAMPTZ(6),
    "restart_wanted" INTEGER NOT NULL DEFAULT 0,
    "grace_ms" INTEGER NOT NULL DEFAULT 10000,
    "sealed_env" BYTEA,
    "status" "daemon_status" NOT NULL DEFAULT 'stopped',
    "epoch" INTEGER NOT NULL DEFAULT 0,
    "worker_id" TEXT,
    "lease_until" TIMESTAMPTZ(6),
    "pid" INTEGER,
    "restarts" INTEGER NOT NULL DEFAULT 0,
    "crashes" INTEGER NOT NULL DEFAULT 0,
    "next_start_at" TIMESTAMPTZ(6),
    "last_exit" JSON,
    "health_state" TEXT,
    "last_progress_at" TIMESTAMPTZ(6),
    "busy" BOOLEAN NOT NULL DEFAULT false,
    "state_snapshot" JSON,
    "started_at" TIMESTAMPTZ(6),
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "daemons_pkey" PRIMARY KEY ("agent_id")
);

-- CreateTable
CREATE TABLE "daemon_messages" (
    "id" TEXT NOT NULL,
    "agent_id" TEXT NOT NULL,
    "seq" BIGSERIAL NOT NULL,
    "run_id" TEXT,
    "payload" JSON,
    "status" "message_status" NOT NULL DEFAULT 'queued',
    "epoch" INTEGER,
    "deliveries" INTEGER NOT NULL DEFAULT 0,
    "error" JSON,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "delivered_at" TIMESTAMPTZ(6),
    "done_at" TIMESTAMPTZ(6),

    CONSTRAINT "daemon_messages_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "daemon_logs" (
    "agent_id" TEXT NOT NULL,
    "epoch" INTEGER NOT NULL,
    "first_seq" INTEGER NOT NULL,
    "last_seq" INTEGER NOT NULL,
    "entries" JSON NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "daemon_logs_pkey" PRIMARY KEY ("agent_id","epoch","first_seq")
);

-- CreateTable
CREATE TABLE "jobs" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "agent_id" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "name" TEXT,
    "input_payload" JSON NOT NULL DEFAULT '{}',
    "run_options" JSON NOT NULL DEFAULT '{}',
    "sealed_env" BYTEA,
    "schedule" TEXT,
    "timezone" TEXT NOT NULL DEFAULT 'UTC',
    "overlap" "job_overlap" NOT NULL DEFAULT 'skip',
    "catch_up" "job_catch_up" NOT NULL DEFAULT 'none',
    "status" "job_status" NOT NULL DEFAULT 'active',
    "next_tick_at" TIMESTAMPTZ(6),
    "last_tick_at" TIMESTAMPTZ(6),
    "ends_at" TIMESTAMPTZ(6),
    "metadata" JSON NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "jobs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "job_ticks" (
    "job_id" TEXT NOT NULL,
    "scheduled_at" TIMESTAMPTZ(6) NOT NULL,
    "outcome" "tick_outcome" NOT NULL,
    "manual" BOOLEAN NOT NULL DEFAULT false,
    "run_id" TEXT,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "job_ticks_pkey" PRIMARY KEY ("job_id","scheduled_at")
);

-- CreateTable
CREATE TABLE "notifications" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "level" "notification_level" NOT NULL DEFAULT 'info',
    "title" TEXT NOT NULL,
    "body" TEXT,
    "data" JSON NOT NULL DEFAULT '{}',
    "agent_id" TEXT,
    "run_id" TEXT,
    "dedup_key" TEXT,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "read_at" TIMESTAMPTZ(6),

    CONSTRAINT "notifications_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "notification_preferences" (
    "user_id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "in_app" BOOLEAN NOT NULL DEFAULT true,
    "webhook" BOOLEAN NOT NULL DEFAULT true,
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "notification_preferences_pkey" PRIMARY KEY ("user_id","type")
);

-- CreateTable
CREATE TABLE "plans" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "provider_price_id" TEXT,
    "price_micro_usd" BIGINT NOT NULL,
    "interval" TEXT NOT NULL,
    "weekly_runs" INTEGER,
    "weekly_micro_usd" BIGINT,
    "max_concurrent_runs" INTEGER,
    "max_queued_runs" INTEGER,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "plans_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "billing_accounts" (
    "user_id" TEXT NOT NULL,
    "plan_id" TEXT,
    "provider_customer_id" TEXT,
    "week_started_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "week_runs" INTEGER NOT NULL DEFAULT 0,
    "week_micro_usd" BIGINT NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "billing_accounts_pkey" PRIMARY KEY ("user_id")
);

-- CreateTable
CREATE TABLE "spend_limits" (
    "user_id" TEXT NOT NULL,
    "period" "spend_period" NOT NULL,
    "amount_micro_usd" BIGINT NOT NULL,
    "enforced" BOOLEAN NOT NULL DEFAULT true,
    "notified_for" TIMESTAMPTZ(6),
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "spend_limits_pkey" PRIMARY KEY ("user_id","period")
);

-- CreateTable
CREATE TABLE "subscriptions" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "plan_id" TEXT,
    "provider_subscription_id" TEXT,
    "status" "subscription_status" NOT NULL,
    "current_period_start" TIMESTAMPTZ(6),
    "current_period_end" TIMESTAMPTZ(6),
    "trial_end" TIMESTAMPTZ(6),
    "cancel_at_period_end" BOOLEAN NOT NULL DEFAULT false,
    "canceled_at" TIMESTAMPTZ(6),
    "as_of" TIMESTAMPTZ(6),
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "subscriptions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "payments" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "provider_payment_id" TEXT NOT NULL,
    "provider_invoice_id" TEXT,
    "provider_charge_id" TEXT,
    "status" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "amount" BIGINT NOT NULL,
    "amount_micro_usd" BIGINT,
    "refunded_amount" BIGINT NOT NULL DEFAULT 0,
    "disputed" BOOLEAN NOT NULL DEFAULT false,
    "failure_message" TEXT,
    "description" TEXT,
    "as_of" TIMESTAMPTZ(6),
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "payments_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "invoices" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "provider_invoice_id" TEXT NOT NULL,
    "provider_subscription_id" TEXT,
    "number" TEXT,
    "status" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "amount_due" BIGINT NOT NULL,
    "amount_paid" BIGINT NOT NULL DEFAULT 0,
    "period_start" TIMESTAMPTZ(6),
    "period_end" TIMESTAMPTZ(6),
    "hosted_url" TEXT,
    "as_of" TIMESTAMPTZ(6),
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "invoices_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "billing_events" (
    "event_id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "created" TIMESTAMPTZ(6) NOT NULL,
    "object_id" TEXT,
    "payload" JSON NOT NULL,
    "verified" BOOLEAN NOT NULL,
    "received_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "applied_at" TIMESTAMPTZ(6),
    "error" TEXT,

    CONSTRAINT "billing_events_pkey" PRIMARY KEY ("event_id")
);

-- CreateTable
CREATE TABLE "ledger_accounts" (
    "id" TEXT NOT NULL,
    "kind" "ledger_account_kind" NOT NULL,
    "user_id" TEXT,
    "balance_micro_usd" BIGINT NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "ledger_accounts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ledger_transactions" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "source_id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "description" TEXT,
    "metadata" JSON NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "ledger_transactions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ledger_entries" (
    "transaction_id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "amount_micro_usd" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "ledger_entries_pkey" PRIMARY KEY ("transaction_id","account_id")
);

-- CreateTable
CREATE TABLE "usage_records" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "agent_id" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "source_id" TEXT NOT NULL,
    "run_id" TEXT,
    "duration_ms" BIGINT NOT NULL DEFAULT 0,
    "cpu_ms" BIGINT NOT NULL DEFAULT 0,
    "input_tokens" BIGINT NOT NULL DEFAULT 0,
    "output_tokens" BIGINT NOT NULL DEFAULT 0,
    "tool_calls" INTEGER NOT NULL DEFAULT 0,
    "cost_micro_usd" BIGINT NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "usage_records_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "audit_log" (
    "id" TEXT NOT NULL,
    "user_id" TEXT,
    "actor" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "target_type" TEXT NOT NULL,
    "target_id" TEXT,
    "request_id" TEXT,
    "ip" TEXT,
    "detail" JSON NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "audit_log_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "internal_job_runs" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "status" "internal_job_status" NOT NULL DEFAULT 'running',
    "triggered_by" TEXT NOT NULL,
    "dry_run" BOOLEAN NOT NULL DEFAULT false,
    "lease_until" TIMESTAMPTZ(6) NOT NULL,
    "result" JSON,
    "error" TEXT,
    "started_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(6),

    CONSTRAINT "internal_job_runs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "run_rollups" (
    "hour" TIMESTAMPTZ(6) NOT NULL,
    "user_id" TEXT NOT NULL,
    "agent_id" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "success" INTEGER NOT NULL DEFAULT 0,
    "error" INTEGER NOT NULL DEFAULT 0,
    "timeout" INTEGER NOT NULL DEFAULT 0,
    "cancelled" INTEGER NOT NULL DEFAULT 0,
    "expired" INTEGER NOT NULL DEFAULT 0,
    "error_codes" JSON NOT NULL DEFAULT '{}',
    "duration_ms_sum" BIGINT NOT NULL DEFAULT 0,
    "queue_ms_sum" BIGINT NOT NULL DEFAULT 0,
    "cpu_ms_sum" BIGINT NOT NULL DEFAULT 0,
    "input_tokens" BIGINT NOT NULL DEFAULT 0,
    "output_tokens" BIGINT NOT NULL DEFAULT 0,
    "cost_micro_usd" BIGINT NOT NULL DEFAULT 0,
    "duration_histogram" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
    "token_histogram" INTEGER[] DEFAULT ARRAY[]::INTEGER[],

    CONSTRAINT "run_rollups_pkey" PRIMARY KEY ("user_id","agent_id","version","hour")
);

-- CreateIndex
CREATE INDEX "users_created_at_id_idx" ON "users"("created_at", "id");

-- CreateIndex
CREATE INDEX "callback_secrets_user_id_idx" ON "callback_secrets"("user_id");

-- CreateIndex
CREATE INDEX "api_keys_user_id_created_at_id_idx" ON "api_keys"("user_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "idempotency_keys_expires_at_idx" ON "idempotency_keys"("expires_at");

-- CreateIndex
CREATE INDEX "agents_user_id_created_at_id_idx" ON "agents"("user_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "agents_created_at_id_idx" ON "agents"("created_at", "id");

-- CreateIndex
CREATE INDEX "agent_versions_agent_id_created_at_idx" ON "agent_versions"("agent_id", "created_at");

-- CreateIndex
CREATE INDEX "threads_user_id_created_at_id_idx" ON "threads"("user_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "threads_created_at_id_idx" ON "threads"("created_at", "id");

-- CreateIndex
CREATE INDEX "runs_user_id_created_at_id_idx" ON "runs"("user_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "runs_agent_id_created_at_id_idx" ON "runs"("agent_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "runs_created_at_id_idx" ON "runs"("created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "artifacts_run_id_attempt_seq_key" ON "artifacts"("run_id", "attempt", "seq");

-- CreateIndex
CREATE INDEX "bulk_operations_user_id_created_at_id_idx" ON "bulk_operations"("user_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "outbox_run_id_idx" ON "outbox"("run_id");

-- CreateIndex
CREATE INDEX "webhooks_user_id_created_at_id_idx" ON "webhooks"("user_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "webhook_secrets_webhook_id_idx" ON "webhook_secrets"("webhook_id");

-- CreateIndex
CREATE INDEX "daemons_user_id_created_at_agent_id_idx" ON "daemons"("user_id", "created_at", "agent_id");

-- CreateIndex
CREATE UNIQUE INDEX "daemon_messages_run_id_key" ON "daemon_messages"("run_id");

-- CreateIndex
CREATE INDEX "daemon_messages_agent_id_created_at_id_idx" ON "daemon_messages"("agent_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "daemon_logs_created_at_idx" ON "daemon_logs"("created_at");

-- CreateIndex
CREATE INDEX "jobs_user_id_created_at_id_idx" ON "jobs"("user_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "jobs_agent_id_idx" ON "jobs"("agent_id");

-- CreateIndex
CREATE INDEX "notifications_user_id_created_at_id_idx" ON "notifications"("user_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "notifications_user_id_dedup_key_key" ON "notifications"("user_id", "dedup_key");

-- CreateIndex
CREATE UNIQUE INDEX "plans_provider_price_id_key" ON "plans"("provider_price_id");

-- CreateIndex
CREATE UNIQUE INDEX "billing_accounts_provider_customer_id_key" ON "billing_accounts"("provider_customer_id");

-- CreateIndex
CREATE INDEX "billing_accounts_week_started_at_idx" ON "billing_accounts"("week_started_at");

-- CreateIndex
CREATE UNIQUE INDEX "subscriptions_provider_subscription_id_key" ON "subscriptions"("provider_subscription_id");

-- CreateIndex
CREATE INDEX "subscriptions_user_id_created_at_id_idx" ON "subscriptions"("user_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "payments_provider_payment_id_key" ON "payments"("provider_payment_id");

-- CreateIndex
CREATE UNIQUE INDEX "payments_provider_charge_id_key" ON "payments"("provider_charge_id");

-- CreateIndex
CREATE INDEX "payments_user_id_created_at_id_idx" ON "payments"("user_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "invoices_provider_invoice_id_key" ON "invoices"("provider_invoice_id");

-- CreateIndex
CREATE INDEX "invoices_user_id_created_at_id_idx" ON "invoices"("user_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "billing_events_object_id_created_event_id_idx" ON "billing_events"("object_id", "created", "event_id");

-- CreateIndex
CREATE INDEX "billing_events_received_at_event_id_idx" ON "billing_events"("received_at", "event_id");

-- CreateIndex
CREATE UNIQUE INDEX "ledger_accounts_user_id_kind_key" ON "ledger_accounts"("user_id", "kind");

-- CreateIndex
CREATE INDEX "ledger_transactions_user_id_created_at_id_idx" ON "ledger_transactions"("user_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "ledger_transactions_source_source_id_key" ON "ledger_transactions"("source", "source_id");

-- CreateIndex
CREATE INDEX "ledger_entries_account_id_created_at_idx" ON "ledger_entries"("account_id", "created_at");

-- CreateIndex
CREATE INDEX "usage_records_user_id_created_at_id_idx" ON "usage_records"("user_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "usage_records_agent_id_created_at_id_idx" ON "usage_records"("agent_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "usage_records_source_source_id_key" ON "usage_records"("source", "source_id");

-- CreateIndex
CREATE INDEX "audit_log_created_at_id_idx" ON "audit_log"("created_at", "id");

-- CreateIndex
CREATE INDEX "audit_log_user_id_created_at_id_idx" ON "audit_log"("user_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "audit_log_target_type_target_id_created_at_idx" ON "audit_log"("target_type", "target_id", "created_at");

-- CreateIndex
CREATE INDEX "internal_job_runs_name_started_at_id_idx" ON "internal_job_runs"("name", "started_at", "id");

-- CreateIndex
CREATE INDEX "run_rollups_hour_idx" ON "run_rollups"("hour");

-- AddForeignKey
ALTER TABLE "callback_secrets" ADD CONSTRAINT "callback_secrets_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "agents" ADD CONSTRAINT "agents_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "agent_versions" ADD CONSTRAINT "agent_versions_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agents"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "agent_tags" ADD CONSTRAINT "agent_tags_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agents"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "agent_secrets" ADD CONSTRAINT "agent_secrets_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agents"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "thread_messages" ADD CONSTRAINT "thread_messages_thread_id_fkey" FOREIGN KEY ("thread_id") REFERENCES "threads"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "run_secrets" ADD CONSTRAINT "run_secrets_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "runs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "transcript_chunks" ADD CONSTRAINT "transcript_chunks_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "runs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "run_transitions" ADD CONSTRAINT "run_transitions_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "runs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "interrupts" ADD CONSTRAINT "interrupts_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "runs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "artifacts" ADD CONSTRAINT "artifacts_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "runs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "outbox" ADD CONSTRAINT "outbox_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "runs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "outbox" ADD CONSTRAINT "outbox_webhook_id_fkey" FOREIGN KEY ("webhook_id") REFERENCES "webhooks"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "outbox_tries" ADD CONSTRAINT "outbox_tries_outbox_id_fkey" FOREIGN KEY ("outbox_id") REFERENCES "outbox"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_secrets" ADD CONSTRAINT "webhook_secrets_webhook_id_fkey" FOREIGN KEY ("webhook_id") REFERENCES "webhooks"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "daemons" ADD CONSTRAINT "daemons_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agents"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "daemon_messages" ADD CONSTRAINT "daemon_messages_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "daemons"("agent_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "daemon_logs" ADD CONSTRAINT "daemon_logs_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "daemons"("agent_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "jobs" ADD CONSTRAINT "jobs_agent_id_fkey" FOREIGN KEY ("agent_id") REFERENCES "agents"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "job_ticks" ADD CONSTRAINT "job_ticks_job_id_fkey" FOREIGN KEY ("job_id") REFERENCES "jobs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notification_preferences" ADD CONSTRAINT "notification_preferences_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "billing_accounts" ADD CONSTRAINT "billing_accounts_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "billing_accounts" ADD CONSTRAINT "billing_accounts_plan_id_fkey" FOREIGN KEY ("plan_id") REFERENCES "plans"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "spend_limits" ADD CONSTRAINT "spend_limits_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "billing_accounts"("user_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "billing_accounts"("user_id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_plan_id_fkey" FOREIGN KEY ("plan_id") REFERENCES "plans"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "payments" ADD CONSTRAINT "payments_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "billing_accounts"("user_id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "invoices" ADD CONSTRAINT "invoices_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "billing_accounts"("user_id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_transaction_id_fkey" FOREIGN KEY ("transaction_id") REFERENCES "ledger_transactions"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "ledger_accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- By hand: what Prisma has no word for, and leaves alone.

-- Partial indexes, as the schema names them (`// sql:`).
CREATE UNIQUE INDEX "runs_one_running_per_thread" ON "runs"("thread_id") WHERE status = 'running';
CREATE INDEX "runs_of_thread" ON "runs"("thread_id", "created_at", "id") WHERE thread_id IS NOT NULL;
CREATE INDEX "runs_of_job" ON "runs"("job_id", "created_at", "id") WHERE job_id IS NOT NULL;
CREATE INDEX "runs_completed" ON "runs"("completed_at") WHERE completed_at IS NOT NULL;
CREATE INDEX "runs_queued" ON "runs"("created_at") WHERE status = 'queued';
CREATE INDEX "runs_thread_queue" ON "runs"("thread_id", "created_at", "id") WHERE status = 'queued' AND thread_id IS NOT NULL;
CREATE INDEX "runs_running" ON "runs"("worker_id") WHERE status = 'running';
CREATE INDEX "runs_waiting" ON "runs"("expires_at") WHERE status IN ('scheduled', 'queued', 'interrupted');
CREATE INDEX "bulk_operations_open" ON "bulk_operations"("created_at") WHERE status IN ('pending', 'running');
CREATE INDEX "outbox_of_webhook" ON "outbox"("webhook_id", "created_at", "id") WHERE webhook_id IS NOT NULL;
CREATE INDEX "outbox_pending" ON "outbox"("next_attempt_at") WHERE status = 'pending';
CREATE INDEX "outbox_exhausted" ON "outbox"("created_at", "id") WHERE status = 'exhausted';
CREATE INDEX "daemon_messages_open" ON "daemon_messages"("agent_id", "seq") WHERE status IN ('queued', 'delivered');
CREATE INDEX "jobs_due" ON "jobs"("next_tick_at") WHERE status = 'active' AND next_tick_at IS NOT NULL;
CREATE INDEX "notifications_unread" ON "notifications"("user_id") WHERE read_at IS NULL;
CREATE INDEX "billing_events_unapplied" ON "billing_events"("received_at") WHERE verified AND applied_at IS NULL;
CREATE UNIQUE INDEX "internal_job_runs_single_flight" ON "internal_job_runs"("name") WHERE status = 'running';

-- Storage: room in the pages of tables whose rows are updated often (an update that touches no index stays in its page),
-- and a vacuum that comes by the number of changes rather than by the size of the table.
ALTER TABLE "runs" SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE "outbox" SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE "run_secrets" SET (autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE "workers" SET (fillfactor = 50, autovacuum_vacuum_threshold = 200, autovacuum_vacuum_scale_factor = 0);
ALTER TABLE "daemons" SET (fillfactor = 50, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0);
ALTER TABLE "billing_accounts" SET (fillfactor = 80);
ALTER TABLE "ledger_accounts" SET (fillfactor = 80);
