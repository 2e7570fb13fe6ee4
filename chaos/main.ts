import { runProcess } from "../shared/platform/lifecycle/run-process.ts";
import { readOptions } from "./read-options.ts";
import { formatReport, throwIfBroken } from "./report.ts";
import { runChaos } from "./run-chaos.ts";

/** `npm run chaos -- --seed N --runs N --minutes N`: breaks a stack on purpose, and fails when it broke a promise. */
await runProcess(async (signal) => {
  const options = readOptions(process.argv.slice(2));
  const verdict = await runChaos(options, signal);
  console.log(formatReport(options.seed, verdict));
  throwIfBroken(options.seed, verdict);
});
