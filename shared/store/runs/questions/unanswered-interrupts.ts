import type { AskingRun } from "../../../schemas/interrupt.ts";
import type { OpenInterrupt } from "../../../schemas/run-event.ts";
import type { RunRecord } from "../../../schemas/run.ts";
import type { Db } from "../../client.ts";
import { listOf, orNull, t } from "../../columns.ts";
import { bytesOf } from "../../read-page.ts";
import { sql } from "../../sql.ts";
import { statement } from "../../statement.ts";
import { runIs } from "../run-is.ts";

type WithQuestions = Pick<RunRecord, "id" | "status" | "interrupts">;

/** Returns the records with the questions that interrupted runs wait for. */
export async function withInterrupts<Run extends WithQuestions>(db: Db, records: Run[]): Promise<Run[]> {
  const asking = records.filter(({ status }) => status === "interrupted").map(({ id }) => id);
  if (asking.length === 0) return records;
  const asked = new Map((await readAsking(db, asking)).map((run) => [run.run_id, run.interrupts]));
  return records.map((record) => ({ ...record, interrupts: asked.get(record.id) ?? [] }));
}

/** Returns those of the runs that wait for a person, with their questions. */
export async function readAsking(db: Db, ids: string[]): Promise<AskingRun[]> {
  const rows = await read.rows(db.sql, { ids });
  return rows.map(({ id, reason, message, response_schema, expires_at, asked_at, ...run }) => ({
    ...run,
    asked_at: asked_at.toISOString(),
    interrupts: [{ id, reason, message, response_schema, expires_at: expires_at.toISOString() }],
  }));
}

const read = statement({
  name: "read-asking-runs",
  takes: { ids: listOf(t.text) },
  gives: {
    run_id: t.text,
    agent_id: t.text,
    version: t.text,
    thread_id: orNull(t.text),
    user_id: t.text,
    asked_at: t.timestamptz,
    id: t.text,
    reason: t.text,
    message: orNull(t.text),
    response_schema: orNull(t.json<OpenInterrupt["response_schema"] & object>()),
    expires_at: t.timestamptz,
  },
  text: sql`
    SELECT r.id AS run_id, r.agent_id, r.version, r.thread_id, r.user_id, i.created_at AS asked_at, i.id, i.reason,
      i.message, i.response_schema, r.expires_at
    FROM runs r JOIN interrupts i ON i.run_id = r.id
    WHERE r.id = ANY($ids) AND ${runIs.interrupted("r")} AND i.answered_at IS NULL`,
});

/** SQL on a row of `runs`. An agent decides how long its question and the answer's schema are. */
export const questionBytes = `coalesce((
  SELECT sum(${bytesOf("message")} + ${bytesOf("response_schema")}) FROM interrupts
  WHERE run_id = runs.id AND answered_at IS NULL), 0)`;
