import { type Log, logFaults } from "../platform/log.ts";
import { type Db, openDb } from "./client.ts";
import { t } from "./columns.ts";
import { isPostgresAway } from "./sql-faults.ts";
import { sql } from "./sql.ts";
import { statement } from "./statement.ts";

/** Reads what may be a few seconds old: from a standby that keeps up, else from the primary. */
export type Read = <const T>(act: (db: Db) => Promise<T>) => Promise<T>;

type ReadReplica = { read: Read; close(): Promise<void> };

const askEveryMs = 1_000;
/** A standby that is further behind is left to itself. */
const maxAgeMs = 5_000;
/** A read that fails later than this is not tried again: whoever asked has waited long enough. */
const retryWithinMs = 5_000;

type Options = Parameters<typeof openDb>[3];

/** Without a URL, everything is read from the primary. */
export function openReadReplica(
  primary: Db,
  { url, poolSize, options, log }: { url: string | undefined; poolSize: number; options: Options; log: Log },
): ReadReplica {
  if (url === undefined) return { read: (act) => act(primary), close: () => Promise.resolve() };
  const standby = openDb(url, poolSize, logFaults(log, "standby"), {
    ...options,
    readsOnly: true,
  });
  const watch = watchAge(primary, standby, log);
  return {
    async read(act) {
      if (!watch.isCurrent()) return act(primary);
      const since = performance.now();
      try {
        return await act(standby);
      } catch (error) {
        if (!isPostgresAway(error) || performance.now() - since > retryWithinMs) throw error;
        return act(primary);
      }
    },
    async close() {
      watch.close();
      await standby.close();
    },
  };
}

/**
 * Asks how old the standby is: how long ago the primary had written what the standby has replayed by now. The standby's own
 * clock of its last transaction says nothing while the primary writes nothing.
 */
function watchAge(primary: Db, standby: Db, log: Log): { isCurrent(): boolean; close(): void } {
  /** The primary's place in its log, and when it was there. The standby has not come to it yet. */
  let ahead: { place: string; at: number } | null = null;
  let currentAt = -Infinity;
  let asking = false;
  let told = true;

  const isCurrent = (): boolean => performance.now() - currentAt < maxAgeMs;

  async function ask(): Promise<void> {
    const at = performance.now();
    // Without an answer of the primary, what the standby has is the best that there is.
    ahead ??= await primaryPlace.first(primary.sql).then(
      (row) => row && { place: row.place, at },
      () => null,
    );
    const row = await replayed.first(standby.sql, { place: ahead?.place ?? "0/0" });
    if (row?.replayed !== true) return;
    currentAt = ahead?.at ?? at;
    ahead = null;
  }

  function tell(): void {
    if (isCurrent() === told) return;
    told = isCurrent();
    if (told) log.info("lists and analytics are read from the standby");
    else
      log.warn(
        { max_age_ms: maxAgeMs },
        "the standby is away or behind: lists and analytics are read from the primary",
      );
  }

  const look = (): void => {
    if (asking) return tell();
    asking = true;
    void ask()
      .catch(() => undefined)
      .finally(() => {
        asking = false;
        tell();
      });
  };
  look();
  const clock = setInterval(look, askEveryMs);
  return { isCurrent, close: () => clearInterval(clock) };
}

const primaryPlace = statement({
  name: "primary-wal-place",
  gives: { place: t.text },
  text: sql`SELECT pg_current_wal_lsn()::text AS place`,
});

/** A server that isn't in recovery is no standby: it has what it has. */
const replayed = statement({
  name: "standby-has-replayed",
  takes: { place: t.text },
  gives: { replayed: t.boolean },
  text: sql`SELECT NOT pg_is_in_recovery() OR coalesce(pg_last_wal_replay_lsn() >= $place::pg_lsn, false) AS replayed`,
});
