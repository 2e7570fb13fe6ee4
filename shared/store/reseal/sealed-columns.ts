import { sealedFields } from "../../platform/secrets/sealed-fields.ts";
import { raw, type Sql, sql } from "../sql.ts";

/** A column that holds sealed values. Its texts are ours. */
export type SealedColumn = {
  table: string;
  column: string;
  /** The primary key; `aad` takes its values in this order. */
  key: readonly string[];
  aad: (...key: string[]) => string;
  /** Answers of repeated requests are base64 in JSON; all other values are bytes. Rows of execute hold a run's id in clear. */
  isAnswer?: true;
};

/** All of them: a test compares them with the database's. */
export const sealedColumns: readonly SealedColumn[] = [
  { table: "agent_secrets", column: "sealed_value", key: ["agent_id", "name"], aad: sealedFields.agentSecret },
  { table: "callback_secrets", column: "sealed_secret", key: ["id"], aad: sealedFields.callbackSecret },
  { table: "connections", column: "sealed_secret", key: ["id"], aad: sealedFields.connectionSecret },
  { table: "daemons", column: "sealed_env", key: ["agent_id"], aad: sealedFields.daemonEnv },
  {
    table: "idempotency_keys",
    column: "response",
    key: ["user_id", "route", "key"],
    aad: sealedFields.answer,
    isAnswer: true,
  },
  { table: "hook_deliveries", column: "sealed_request", key: ["id"], aad: sealedFields.hookRequest },
  { table: "hooks", column: "sealed_previous_secret", key: ["id"], aad: sealedFields.hookSecret },
  { table: "hooks", column: "sealed_secret", key: ["id"], aad: sealedFields.hookSecret },
  { table: "jobs", column: "sealed_env", key: ["id"], aad: sealedFields.jobSecrets },
  { table: "journal_entries", column: "sealed_entry", key: ["run_id", "key"], aad: sealedFields.journalEntry },
  { table: "run_checkpoints", column: "sealed_content", key: ["run_id", "id"], aad: sealedFields.runCheckpoint },
  { table: "run_inputs", column: "sealed_payload", key: ["run_id", "id"], aad: sealedFields.runInput },
  { table: "run_waits", column: "sealed_entry", key: ["run_id", "key"], aad: sealedFields.journalEntry },
  { table: "run_secrets", column: "sealed_env", key: ["run_id"], aad: sealedFields.runEnv },
  { table: "run_secrets", column: "sealed_files", key: ["run_id"], aad: sealedFields.runFiles },
  { table: "secrets", column: "sealed_value", key: ["id"], aad: sealedFields.ownerSecret },
  { table: "webhook_secrets", column: "sealed_secret", key: ["id"], aad: sealedFields.webhookSecret },
];

/** SQL of a column's sealed values: bytes, or null where there is none. */
export const sealedBytes = ({ column, isAnswer }: SealedColumn): Sql =>
  isAnswer ? sql`CASE WHEN route <> 'execute' THEN decode(${raw(column)} #>> '{}', 'base64') END` : raw(column);
