import { findPython } from "../../../worker/sandbox/find-python.ts";
import { openSandbox } from "../../../worker/sandbox/pick-level.ts";

/** A program of its own, to be started as another user or in a container's confinement: proves a level, prints it as JSON. */
const searchPath = "/usr/local/bin:/usr/bin:/bin";
const log = { info: () => undefined, warn: () => undefined };
const [minLevel = "0", bwrap = "/nonexistent"] = process.argv.slice(2);
try {
  const python = await findPython(undefined, searchPath);
  const trust = { authority: "", certificates: "" };
  const egress = {
    trust,
    open: () => ({ take: () => {}, beginRun: () => {}, endRun: async () => {}, close: () => {} }),
  };
  const sandbox = await openSandbox({ minLevel: Number(minLevel), bwrap, searchPath, python, egress, log });
  console.log(JSON.stringify({ report: sandbox.report, missing: sandbox.missing }));
  await sandbox.close();
} catch (error) {
  console.log(JSON.stringify({ error: String(error) }));
}
