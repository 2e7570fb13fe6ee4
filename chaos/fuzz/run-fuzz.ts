import { setImmediate as nextTurn } from "node:timers/promises";
import { createRandom } from "../random.ts";
import type { Decoder } from "./decoder.ts";
import { mutate } from "./mutate.ts";

/** `growthMiB`: by how much memory may grow; left out: `mostGrowthMiB`. */
export type FuzzOptions = { seed: number; inputs: number; growthMiB?: number };

/** What broke, and on which input. The seed, the decoder's name and `at` make the same input again. */
export type FuzzFault = { decoder: string; at: number; what: string; input: string };

export type FuzzRow = { decoder: string; inputs: number; seconds: number; slowestMs: number; rssMiB: number };

export type FuzzReport = { rows: FuzzRow[]; faults: FuzzFault[] };

/** An input that takes longer, twice, is a fault. */
const hangMs = 1_000;
/** Memory that grows by more than this is a fault. */
const mostGrowthMiB = 768;
/** A decoder with this many faults gets no more inputs. */
const mostFaults = 5;
/** How much of an input a report shows, in characters of base64. */
const shown = 400;

/** Gives each decoder its share of `inputs`, one decoder after another. Their faults are reported, never thrown. */
export async function runFuzz(decoders: readonly Decoder[], options: FuzzOptions): Promise<FuzzReport> {
  const { seed, inputs, growthMiB = mostGrowthMiB } = options;
  const weights = decoders.reduce((sum, { weight }) => sum + weight, 0);
  const report: FuzzReport = { rows: [], faults: [] };
  for (const decoder of decoders) {
    const count = Math.ceil((inputs * decoder.weight) / weights);
    report.rows.push(await runDecoder(decoder, { seed, count, growthMiB }, report.faults));
  }
  return report;
}

type Share = { seed: number; count: number; growthMiB: number };

async function runDecoder(decoder: Decoder, { seed, count, growthMiB }: Share, faults: FuzzFault[]): Promise<FuzzRow> {
  const { name, atOnce = 1 } = decoder;
  const startedAt = performance.now();
  const memory = (): number => process.memoryUsage.rss() + (decoder.memoryBeside?.() ?? 0);
  const before = memory();
  let slowestMs = 0;
  let mostRss = before;
  let next = 0;
  const known = faults.length;
  const uncaught: unknown[] = [];
  const note = (error: unknown): void => void uncaught.push(error);
  process.on("uncaughtException", note).on("unhandledRejection", note);

  const lane = async (): Promise<void> => {
    while (next < count && faults.length < known + mostFaults) {
      const at = next;
      next += 1;
      slowestMs = Math.max(slowestMs, await tryInput(decoder, { seed, at }, faults));
      for (const error of uncaught.splice(0))
        faults.push({ decoder: name, at, what: `uncaught: ${describe(error)}`, input: "" });
      if (at % 50 !== 0) continue;
      mostRss = Math.max(mostRss, memory());
      await nextTurn();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  mostRss = Math.max(mostRss, memory());
  await Promise.resolve(decoder.close?.()).catch((error: unknown) =>
    faults.push({ decoder: name, at: -1, what: describe(error), input: "" }),
  );
  await nextTurn();
  for (const error of uncaught.splice(0))
    faults.push({ decoder: name, at: -1, what: `uncaught: ${describe(error)}`, input: "" });
  process.off("uncaughtException", note).off("unhandledRejection", note);
  if (mostRss - before > growthMiB * 2 ** 20)
    faults.push({ decoder: name, at: -1, what: `memory grew by ${(mostRss - before) >> 20} MiB`, input: "" });
  return {
    decoder: name,
    inputs: next,
    seconds: (performance.now() - startedAt) / 1_000,
    slowestMs,
    rssMiB: mostRss >> 20,
  };
}

/** Returns how long it took, in ms. */
async function tryInput(
  decoder: Decoder,
  { seed, at }: { seed: number; at: number },
  faults: FuzzFault[],
): Promise<number> {
  const random = () => createRandom(`${seed}/${decoder.name}/${at}`);
  const input = mutate(decoder.samples, random());
  const fail = (what: string): void =>
    void faults.push({ decoder: decoder.name, at, what, input: input.subarray(0, shown).toString("base64") });
  const read = (): Promise<number> => measure(() => withLimit(decoder.read(input, random())));
  try {
    const ms = await read();
    // Read twice, since the machine may have been busy.
    if (ms > hangMs && (await read()) > hangMs) fail(`took ${Math.round(ms)} ms`);
    return ms;
  } catch (error) {
    fail(describe(error));
    return 0;
  }
}

/** Returns how long an act took in ms, without the time in which the machine ran other processes instead of this one. */
async function measure(act: () => Promise<void>): Promise<number> {
  const [startedAt, cpu, loop] = [performance.now(), process.cpuUsage(), performance.eventLoopUtilization()];
  await act();
  const { user, system } = process.cpuUsage(cpu);
  const { active } = performance.eventLoopUtilization(loop);
  const preempted = Math.max(0, active - (user + system) / 1_000);
  return performance.now() - startedAt - preempted;
}

/** A read that does not end is a fault, too. */
async function withLimit(reading: Promise<void> | void): Promise<void> {
  if (!(reading instanceof Promise)) return;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("never ended")), 20 * hangMs);
  });
  await Promise.race([reading, late]).finally(() => clearTimeout(timer));
}

const describe = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message).split("\n").slice(0, 3).join(" | ") : String(error);

/** Returns the figures as a Markdown table, and what broke. */
export function formatFuzz({ seed }: FuzzOptions, { rows, faults }: FuzzReport): string {
  const total = rows.reduce((sum, row) => ({ inputs: sum.inputs + row.inputs, seconds: sum.seconds + row.seconds }), {
    inputs: 0,
    seconds: 0,
  });
  const line = (name: string, inputs: number, seconds: number, rest: string): string =>
    `| ${name} | ${inputs} | ${Math.round(inputs / seconds)} | ${rest} |`;
  return [
    `| seed ${seed} | inputs | inputs/s | slowest, ms | memory at most, MiB |`,
    "|---|--:|--:|--:|--:|",
    ...rows.map(({ decoder, inputs, seconds, slowestMs, rssMiB }) =>
      line(decoder, inputs, seconds, `${slowestMs.toFixed(1)} | ${rssMiB}`),
    ),
    line("all", total.inputs, total.seconds, " | "),
    ...faults.map(({ decoder, at, what, input }) => `\n${decoder}, input ${at}: ${what}${input && `\n  ${input}`}`),
  ].join("\n");
}
