import type { Db } from "../../client.ts";
import { t } from "../../columns.ts";
import { literal, sql } from "../../sql.ts";
import { statement } from "../../statement.ts";
import { expiresAnew } from "./expires-anew.ts";
import { moveRuns, statusAfter } from "./move-runs.ts";
import type { HeldRun } from "./renew-leases.ts";

/**
 * `drained`: its worker leaves. `not_started`: the worker that it was granted to had no room, or was gone.
 * `daemon_stopped`: its daemon's process was ended on purpose, or takes no message now. `no_packages`: the worker can't install
 * its packages for now.
 */
type GiveBackReason = "drained" | "not_started" | "daemon_stopped" | "no_packages";

/** So often in a row a run goes back for lack of packages. Each worker takes the run up every few seconds, so that is some minutes. */
const mostWithoutPackages = 20;

/**
 * Hands back a run that its worker still holds: no attempt is charged. Returns false when the run was no longer the
 * worker's, or has gone back for lack of packages too often in a row. Its transcript must be complete before, since the next attempt's
 * events follow at once.
 */
export async function giveBackRun(db: Db, { id, attempt }: HeldRun, reason: GiveBackReason): Promise<boolean> {
  return (await giveBack.first(db.sql, { id, attempt, reason })) !== null;
}

const giveBack = statement({
  name: "give-back-run",
  takes: { id: t.text, attempt: t.integer, reason: t.text },
  gives: { id: t.text },
  text: sql`WITH ${moveRuns("give_back", {
    where: sql`($reason <> 'no_packages' OR (
      SELECT count(*) FROM run_transitions WHERE run_id = $id AND reason = 'no_packages' AND seq > coalesce((
        SELECT max(seq) FROM run_transitions
        WHERE run_id = $id AND "from" = ${statusAfter("claim")} AND reason IS DISTINCT FROM 'no_packages'), 0)
      ) < ${literal(mostWithoutPackages)})`,
    set: expiresAnew,
    reason: sql`$reason`,
  })} SELECT id FROM moved`,
});

/** Puts a run back whose step ran over its time: it goes on by its journal. Returns false when it was no longer its own. */
export async function restartRun(db: Db, { id, attempt }: HeldRun): Promise<boolean> {
  return (await restart.first(db.sql, { id, attempt })) !== null;
}

const restart = statement({
  name: "restart-run",
  takes: { id: t.text, attempt: t.integer },
  gives: { id: t.text },
  text: sql`WITH ${moveRuns("restart", { set: expiresAnew })} SELECT id FROM moved`,
});
