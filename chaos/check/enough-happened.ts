import type { Evidence } from "./evidence.ts";

const leastSuccesses = 0.8;

/** Most runs must have succeeded, connections must have been cut, faults must have struck: a check of nothing would pass. */
export function enoughHappened({ accepted, runs, histories, struck }: Evidence): string[] {
  const able = accepted.filter(({ agent }) => agent !== "failing");
  const succeeded = able.filter(({ run_id }) => runs.get(run_id)?.status === "success").length;
  const cuts = histories.reduce((sum, history) => sum + history.cuts, 0);
  const faults = [];
  if (able.length === 0 || succeeded < able.length * leastSuccesses)
    faults.push(`only ${succeeded} of ${able.length} runs that can succeed did`);
  if (cuts < accepted.length / 10) faults.push(`only ${cuts} connections were cut`);
  if (struck.length === 0) faults.push("nothing was broken");
  return faults;
}
