import { resolve } from "node:path";
import { expect, test } from "vitest";
import { runApart } from "../../chaos/attack/run-apart.ts";
import type { Verdict } from "../../chaos/attack/run-attack.ts";
import { bwrapPath, searchPath } from "../worker/sandbox/open-levels.ts";

/** Another sample each day; `npm run attack -- --seed N --count N` plays it again, and without them all. */
const seed = Math.floor(Date.now() / 86_400_000);
const main = resolve("dist/chaos/attack/main.js");
const env = { PATH: searchPath, BWRAP: bwrapPath() };

async function expectThatAllHold(count: number, user: "ordinary" | "own"): Promise<void> {
  const verdicts: Verdict[] = [];
  const args = ["--count", String(count)];
  const onVerdict = (verdict: Verdict): void => void verdicts.push(verdict);
  const unproven = await runApart({ main, args, seed, env, user }, new AbortController().signal, onVerdict);
  for (const reason of unproven) console.log(`not tried: ${reason}`);
  const levels = [...new Set(verdicts.map(({ level }) => level))];
  expect(levels.length).toBeGreaterThan(0);
  for (const level of levels)
    expect(verdicts.filter((one) => one.level === level).length, `of level ${level}`).toBeGreaterThanOrEqual(count);
  const broken = verdicts.flatMap(({ name, kind, level, faults }) =>
    faults.map((fault) => `${name} (${kind}, level ${level}): ${fault}`),
  );
  expect(broken).toEqual([]);
}

test(
  `hostile agents harm neither the worker, nor a neighbour, nor a later run (sample ${seed})`,
  { timeout: 90_000 },
  () => expectThatAllHold(3, "own"),
);

test.runIf(process.getuid?.() === 0)(
  `nor do they where the worker is an ordinary user, whose sandboxes have one user id (sample ${seed})`,
  { timeout: 90_000 },
  () => expectThatAllHold(1, "ordinary"),
);
