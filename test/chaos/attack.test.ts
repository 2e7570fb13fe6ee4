import { resolve } from "node:path";
import { expect, test } from "vitest";
import { runAsUser } from "../../chaos/attack/run-as-user.ts";
import type { Verdict } from "../../chaos/attack/run-attack.ts";
import { runAttacks } from "../../chaos/attack/run-attacks.ts";
import { bwrapPath, searchPath } from "../worker/sandbox/open-levels.ts";

/** Another sample each day; `npm run attack -- --seed N --count N` plays it again, and without them all. */
const seed = Math.floor(Date.now() / 86_400_000);
const signal = new AbortController().signal;
const broken = (verdicts: readonly Verdict[]): string[] =>
  verdicts.flatMap(({ name, kind, level, faults }) =>
    faults.map((fault) => `${name} (${kind}, level ${level}): ${fault}`),
  );

test(
  `hostile agents harm neither the worker, nor a neighbour, nor a later run (sample ${seed})`,
  { timeout: 90_000 },
  async () => {
    const { verdicts } = await runAttacks(
      { seed, count: 3, only: null, level: null, bwrap: bwrapPath(), searchPath },
      signal,
    );
    expect(verdicts.length).toBeGreaterThan(0);
    expect(broken(verdicts)).toEqual([]);
  },
);

test.runIf(process.getuid?.() === 0)(
  `nor do they where the worker is an ordinary user, whose sandboxes have one user id (sample ${seed})`,
  { timeout: 90_000 },
  async () => {
    const verdicts: Verdict[] = [];
    const env = { PATH: searchPath, BWRAP: bwrapPath() };
    const main = resolve("dist/chaos/attack/main.js");
    await runAsUser({ main, args: ["--count", "1"], seed, env }, signal, (verdict) => verdicts.push(verdict));
    expect(verdicts.length).toBeGreaterThan(0);
    expect(broken(verdicts)).toEqual([]);
  },
);
