import type { RunStatus } from "../../../domain/run/run-status.ts";
import type { Db } from "../../client.ts";
import { orNull, t } from "../../columns.ts";
import { sql } from "../../sql.ts";
import { statement } from "../../statement.ts";
import { runIs } from "../run-is.ts";

/** A question of a run and what became of it. */
export type AskedQuestion = {
  run_id: string;
  interrupt_id: string;
  user_id: string;
  agent_id: string;
  reason: string;
  message: string | null;
  response_schema: Record<string, unknown> | null;
  asked_at: Date;
  expires_at: Date | null;
  answered_at: Date | null;
  answered_by: string | null;
  /** Whether it waits for an answer. False: it was answered, its time is over, or the run has ended. */
  is_open: boolean;
  status: RunStatus;
  /** Who may answer it, as the config of the run's version says. */
  answer_page: string | null;
};

/** Returns a question, open or not. Null: there is none, or no longer. */
export async function readQuestion(db: Db, run_id: string, interrupt_id: string): Promise<AskedQuestion | null> {
  return read.first(db.sql, { run_id, interrupt_id });
}

const read = statement({
  name: "read-question",
  takes: { run_id: t.text, interrupt_id: t.text },
  gives: {
    run_id: t.text,
    interrupt_id: t.text,
    user_id: t.text,
    agent_id: t.text,
    reason: t.text,
    message: orNull(t.text),
    response_schema: orNull(t.json<Record<string, unknown>>()),
    asked_at: t.timestamptz,
    expires_at: orNull(t.timestamptz),
    answered_at: orNull(t.timestamptz),
    answered_by: orNull(t.text),
    is_open: t.boolean,
    status: t.enumeration<RunStatus>("run_status"),
    answer_page: orNull(t.text),
  },
  text: sql`
    SELECT r.id AS run_id, i.id AS interrupt_id, r.user_id, r.agent_id, i.reason, i.message, i.response_schema,
      i.created_at AS asked_at, i.expires_at, i.answered_at, i.answered_by,
      i.answered_at IS NULL AND ${runIs.interrupted("r")} AND coalesce(i.expires_at > now(), true) AS is_open, r.status,
      v.config->>'answer_page' AS answer_page
    FROM interrupts i JOIN runs r ON r.id = i.run_id
    LEFT JOIN agent_versions v ON v.agent_id = r.agent_id AND v.version = r.version
    WHERE i.run_id = $run_id AND i.id = $interrupt_id`,
});
