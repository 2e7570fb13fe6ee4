import { readFileSync } from "node:fs";
import type pg from "pg";

/** What Postgres has spent. */
export type Cost = { cpuS: number; transactions: number; walBytes: number };
export type Meter = { measure(work: () => Promise<unknown>): Promise<Cost> };

/** proc(5) tells processor time in hundredths of a second on Linux. */
const ticksPerS = 100;

/** Measures what Postgres, the process `pid` with its children, spends on a piece of work. */
export function createMeter(sql: pg.Pool, pid: number): Meter {
  // Whoever takes a connection has one transaction.
  let transactions = 0;
  sql.on("acquire", () => (transactions += 1));
  async function read(): Promise<Cost> {
    const { rows } = await sql.query<{ wal: string }>("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS wal");
    return { cpuS: cpuOf(pid), transactions, walBytes: Number(rows[0]?.wal) };
  }
  return {
    async measure(work) {
      const before = await read();
      await work();
      const after = await read();
      return {
        cpuS: after.cpuS - before.cpuS,
        // Without that of reading.
        transactions: after.transactions - before.transactions - 1,
        walBytes: after.walBytes - before.walBytes,
      };
    },
  };
}

function cpuOf(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
  // Of a child that has ended, its parent tells.
  return [pid, ...children].reduce((sum, each) => sum + ticksOf(each, each === pid), 0) / ticksPerS;
}

function ticksOf(pid: number, withEnded: boolean): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [user, system, endedUser, endedSystem] = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .slice(11, 15)
      .map(Number);
    return (user ?? 0) + (system ?? 0) + (withEnded ? (endedUser ?? 0) + (endedSystem ?? 0) : 0);
  } catch {
    return 0;
  }
}
