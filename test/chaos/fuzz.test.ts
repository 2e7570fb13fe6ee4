import { expect, test } from "vitest";
import { openDecoders } from "../../chaos/fuzz/registry.ts";
import { formatFuzz, runFuzz } from "../../chaos/fuzz/run-fuzz.ts";
import { mutate } from "../../chaos/fuzz/mutate.ts";
import { createRandom } from "../../chaos/random.ts";

/** Another one each day: 20260131. `npm run fuzz -- --seed N` makes the same inputs again. */
const seed = Number(new Date().toISOString().slice(0, 10).replaceAll("-", ""));

test("no foreign bytes that chance makes end a process, hang it or fill its memory", async () => {
  const options = { seed, inputs: 15_000 };
  const report = await runFuzz(await openDecoders(), options);
  console.log(formatFuzz(options, report));
  expect(report.faults).toEqual([]);
  expect(report.rows.length).toBeGreaterThan(15);
  for (const { decoder, inputs } of report.rows) expect([decoder, inputs > 100]).toEqual([decoder, true]);
}, 120_000);

test("a decoder that throws, hangs, keeps memory or leaves an error behind is found, and the same seed finds it again", async () => {
  const samples = [Buffer.from('{"a":[1,2]}')] as const;
  // What hangs takes far longer than a hang's second: the time in which other processes ran is taken off.
  const bad = [
    { name: "throws", weight: 1, samples, read: (input: Buffer) => void JSON.parse(input.toString()) },
    { name: "hangs", weight: 1, samples, read: () => new Promise<void>((resolve) => setTimeout(resolve, 2_500)) },
    { name: "leaves a rejection", weight: 1, samples, read: () => void Promise.reject(new Error("left")) },
  ];
  const kept: Buffer[] = [];
  const grows = { name: "grows", weight: 1, samples, read: () => void kept.push(Buffer.alloc(20 << 20, 1)) };
  const found: (string | undefined)[] = [];
  // One after the other: what another one computes meanwhile would count as time in which the machine was busy.
  for (const decoder of bad) {
    const { faults } = await runFuzz([decoder], { seed: 1, inputs: decoder.name === "hangs" ? 1 : 60 });
    found.push(faults[0]?.what);
  }
  expect(found).toEqual([
    expect.stringContaining("SyntaxError"),
    expect.stringMatching(/^took \d+ ms/),
    expect.stringContaining("uncaught: Error: left"),
  ]);
  // Fewer inputs than lie between two looks. What earlier tests have left here may be freed meanwhile.
  const { faults: growth } = await runFuzz([grows], { seed: 1, inputs: 45, growthMiB: 200 });
  expect(kept.splice(0)).toHaveLength(45);
  expect(growth.map(({ what }) => what)).toEqual([expect.stringMatching(/^memory grew by \d+ MiB/)]);
  const made = () =>
    Array.from({ length: 50 }, (_, at) => mutate(samples, createRandom(`1/x/${at}`)).toString("base64"));
  expect(made()).toEqual(made());
  expect(new Set(made()).size).toBeGreaterThan(25);
}, 60_000);
