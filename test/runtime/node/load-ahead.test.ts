import { expect, test } from "vitest";
import { runModule } from "./run-module.ts";

/** Loads an agent ahead of its run. Returns the frame for the worker and what was printed. */
async function load(source: string, entrypoint = "main.mjs") {
  const { frames, stdout, stderr } = await runModule(
    "load-ahead",
    `process.env.GIVEN = "1";
     // Node still closes the file of the module that it has just loaded.
     while (process.getActiveResourcesInfo().length > 0) await new Promise(setImmediate);
     const commands = { ref() {}, unref() {} };
     const env = process.env;
     const agent = { entrypoint: ${JSON.stringify(entrypoint)}, type_stripper: "", code: { "main.mjs": ${JSON.stringify(source)} } };
     const found = await module.loadAhead(agent, { context: {}, commands });
     console.log(found !== null, process.env === env);
     process.exit();`,
  );
  expect(stderr).toBe("");
  expect(stdout).toMatch(/ true\n$/);
  expect(frames).toHaveLength(1);
  return { ...frames[0], isLoaded: stdout.startsWith("true") };
}

test("a module that only defines things is ready for its run; the variables that it reads or sets are told", async () => {
  const source = "const a = process.env.GIVEN; process.env.SET = '1'; export const main = () => a;";
  expect(await load(source)).toMatchObject({
    isLoaded: true,
    type: "loaded",
    preloaded: true,
    fault: null,
    env_read: expect.arrayContaining(["GIVEN", "SET"]),
  });
  expect(await load("export const all = { ...process.env }; export const main = 1")).toMatchObject({
    env_read: expect.arrayContaining(["*"]),
  });
});

test.each([
  ['import { context } from "runfleet"; context.run_id;', "asks for its run"],
  ['throw new RangeError("bad");', "raises RangeError"],
  ['import { emit } from "runfleet"; try { emit("a"); } catch {}', "asks for its run"],
  ["setInterval(() => {}, 1_000);", "starts timers, threads or processes, or opens connections"],
  ['import { createServer } from "node:net"; createServer().listen(0, "127.0.0.1");', "starts timers, threads or"],
])("a module whose run must load it anew is found out: %s", async (statement, fault) => {
  const found = await load(`${statement}\nexport const main = () => 1;`);
  expect(found).toMatchObject({ type: "loaded", fault: expect.stringContaining(`it ${fault}`) });
});

test("an entrypoint that can't be loaded is left to the run, which says why", async () => {
  expect(await load("export const main = 1", "gone.mjs")).toMatchObject({
    isLoaded: false,
    preloaded: false,
    fault: null,
  });
});
