import { findBubblewrap } from "../../dev/bubblewrap.ts";
import { cacheDir } from "../../dev/reachable.ts";
import { readEnv } from "../../shared/platform/config/env.ts";
import { runProcess } from "../../shared/platform/lifecycle/run-process.ts";
import { attackGateway } from "./gateway/attack-gateway.ts";
import { readOptions } from "./read-options.ts";
import { formatRow, formatSummary, tableHead } from "./report.ts";
import type { Verdict } from "./run-attack.ts";
import { runApart } from "./run-apart.ts";
import { runAttacks } from "./run-attacks.ts";

/**
 * `npm run attack -- --seed N --count N --only NAME --level N`: runs hostile agents against every level that this machine
 * proves, and fails when one of them broke a promise. When root starts it, it does the same again as an ordinary user. Agents that
 * attack the gateway run on a stack of their own.
 */
await runProcess(async (signal) => {
  const [, main = "", ...args] = process.argv;
  const { as, ...asked } = readOptions(args);
  const { PATH = "", BWRAP } = readEnv();
  const bwrap = BWRAP ?? (await findBubblewrap(cacheDir())) ?? undefined;
  const options = { ...asked, bwrap, searchPath: PATH };
  if (as === "json") {
    const { unproven } = await runAttacks(options, signal, (verdict) => console.log(JSON.stringify(verdict)));
    return console.log(JSON.stringify({ unproven }));
  }
  const startedAt = performance.now();
  const verdicts: Verdict[] = [];
  const onVerdict = (verdict: Verdict): void => {
    verdicts.push(verdict);
    console.log(formatRow(verdict));
  };
  console.log(`seed ${asked.seed}\n\n${tableHead}`);
  const { unproven } = await runAttacks(options, signal, onVerdict);
  const asUser =
    process.getuid?.() === 0 && !signal.aborted
      ? await runApart(
          { main, args, seed: asked.seed, env: { PATH, BWRAP: bwrap }, user: "ordinary" },
          signal,
          onVerdict,
        )
      : [];
  if (asked.level === null) await attackGateway(asked.only, signal, onVerdict);
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  console.log(`\n${formatSummary(verdicts)}\n\n${verdicts.length} attacks in ${seconds} s`);
  for (const reason of [...unproven, ...asUser.map((one) => `as an ordinary user, ${one}`)])
    console.log(`not tried: ${reason}`);
  throwForFaults(verdicts, asked.seed);
});

function throwForFaults(verdicts: readonly Verdict[], seed: number): void {
  if (verdicts.length === 0) throw new Error("No attack has that name and that level.");
  const failed = verdicts.filter(({ faults }) => faults.length > 0);
  if (failed.length > 0) throw new Error(`${failed.length} of ${verdicts.length} attacks didn't hold (seed ${seed})`);
}
