import type { Db } from "../../client.ts";
import { listOf, t } from "../../columns.ts";
import { literal, sql } from "../../sql.ts";
import { statement } from "../../statement.ts";

/** What people have decided on errors that are alike. */
export type ErrorDecision = { state: "resolved" | "ignored"; changed_at: Date; changed_by: string };

/** Returns the decisions on groups of these agents, by fingerprint. */
export async function readErrorDecisions(db: Db, agent_ids: string[]): Promise<Map<string, ErrorDecision>> {
  const rows = await read.rows(db.sql, { agent_ids });
  return new Map(rows.map(({ fingerprint, ...decision }) => [fingerprint, decision]));
}

const read = statement({
  name: "read-error-decisions",
  takes: { agent_ids: listOf(t.text) },
  gives: {
    fingerprint: t.text,
    state: t.word<ErrorDecision["state"]>(),
    changed_at: t.timestamptz,
    changed_by: t.text,
  },
  text: sql`
    SELECT fingerprint, state, changed_at, changed_by FROM error_groups
    WHERE agent_id = ANY($agent_ids) ORDER BY agent_id, fingerprint`,
});

type Group = { agent_id: string; fingerprint: string };

/** Decisions on one agent's errors. One more forgets the oldest. */
const mostDecisions = 1_000;

/** Returns false when there is no such agent. */
export async function decideOnErrors(
  db: Db,
  { agent_id, fingerprint }: Group,
  { state, changed_by }: Omit<ErrorDecision, "changed_at">,
): Promise<boolean> {
  return (await decide.count(db.sql, { agent_id, fingerprint, state, changed_by })) > 0;
}

const decide = statement({
  name: "decide-on-errors",
  takes: { agent_id: t.text, fingerprint: t.text, state: t.text, changed_by: t.text },
  text: sql`
    WITH surplus AS (
      DELETE FROM error_groups WHERE agent_id = $agent_id AND fingerprint <> $fingerprint AND fingerprint IN (
        SELECT fingerprint FROM error_groups WHERE agent_id = $agent_id
        ORDER BY changed_at DESC OFFSET ${literal(mostDecisions - 1)}
      )
    )
    INSERT INTO error_groups (agent_id, fingerprint, state, changed_by)
    SELECT id, $fingerprint, $state, $changed_by FROM agents WHERE id = $agent_id
    ON CONFLICT (agent_id, fingerprint)
    DO UPDATE SET state = EXCLUDED.state, changed_by = EXCLUDED.changed_by, changed_at = now()`,
});

/** The group is open again. */
export async function reopenErrors(db: Db, { agent_id, fingerprint }: Group): Promise<void> {
  await db.prisma.errorGroup.deleteMany({ where: { agent_id, fingerprint } });
}
