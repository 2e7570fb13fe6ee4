import { expect, test } from "vitest";
import { usesSteps } from "../../../runtime/node/steps.mjs";
import { runModule } from "./run-module.ts";

/** Does steps over a journal that nobody answers: what it has not kept never ends. */
const overJournal = (kept: object, code: string): string => `
  const timer = setTimeout(() => {}, 5_000);
  let settle;
  const failed = new Promise((resolve) => (settle = resolve));
  module.beginSteps({
    runId: "run", kept: ${JSON.stringify({ tries: [], segments: [], count: 0, ...kept })},
    readLine: () => new Promise(() => {}), keepAlive: () => {}, fail: settle,
  });
  const { step, branch, uuid } = module.stepMethods;
  const ended = module.runInTurn(async () => { ${code} });
  const error = await Promise.race([ended.then(() => null, (fault) => fault), failed]);
  clearTimeout(timer);
  if (error) console.log(error.name + ": " + error.message);
  process.exit(0);`;

const entry = (key: string, name: string, result: unknown, more: object = {}) => ({
  ...{ key, kind: "step", name, branch: "main", position: 0, args: null, ok: true, result: JSON.stringify(result) },
  ...more,
});

test("what is kept is handed out in its order, so the step that won a race wins it again", async () => {
  const kept = { entries: [entry("=b:2", "b", "b"), entry("=a:1", "a", "a")] };
  const race = `
    const first = await Promise.race([step("a", () => 0, { key: "1" }), step("b", () => 0, { key: "2" })]);
    console.log(first);`;
  const { stdout, frames } = await runModule("steps", overJournal(kept, race));
  expect(stdout).toBe("b\n");
  expect(frames.filter(({ type }) => type.startsWith("step"))).toEqual([]);
});

test("another step than before ends the run before anything new is done; over a copied journal the code goes on", async () => {
  const code = `console.log(await step("a", () => 0, { key: "1" })); await step("x", () => 0);`;
  const entries = [entry("=a:1", "a", 1), entry("=b:2", "b", 2)];
  const strict = await runModule("steps", overJournal({ entries }, code));
  expect(strict.stdout).toMatch(/^1\nError: An earlier attempt called step 'b' here and this one calls 'x'\./);
  expect(strict.frames).toEqual([]);
  const copied = entries.map((one) => ({ ...one, copied: true }));
  const lenient = await runModule(
    "steps",
    overJournal(
      { entries: copied },
      `${code.replace('await step("x"', 'void step("x"')} for (let n = 0; n < 50; n += 1) await new Promise(setImmediate);`,
    ),
  );
  expect(lenient.frames.slice(0, 3)).toMatchObject([
    { type: "step.copied", key: "=a:1" },
    { type: "replay.diverged", name: "x", before: "b", drops: ["=b:2"] },
    { type: "step.start", name: "x", try: 1 },
  ]);
});

test("what a step has saved and used is reported again", async () => {
  const entries = [entry("=a:1", "a", 1, { state: "s", usage: { input_tokens: 2 } })];
  const { frames } = await runModule("steps", overJournal({ entries }, `await step("a", () => 0, { key: "1" });`));
  expect(frames).toEqual([
    { type: "state", state_snapshot: "s" },
    { type: "usage", input_tokens: 2 },
  ]);
});

test("a key that is used twice and a durable call inside of a step are refused", async () => {
  const code = `
    await step("a", () => 0, { key: "1" });
    try { await step("a", () => 0, { key: "1" }); } catch (error) { console.log(error.name); }
    step("outer", () => step("inner", () => 0), { retry: { max_attempts: 1 } });
    for (let n = 0; n < 50; n += 1) await new Promise(setImmediate);`;
  const { stdout, frames } = await runModule("steps", overJournal({ entries: [entry("=a:1", "a", 1)] }, code));
  expect(stdout).toBe("DuplicateKey\n");
  expect(frames.find(({ type }) => type === "step.end")).toMatchObject({ error: { type: "DurableCallInStep" } });
});

test("values come back as they were, and what can't be kept names its place", async () => {
  const { stdout } = await runModule(
    "step-values",
    `const value = { at: new Date(5), bytes: new Uint8Array([0, 255]), list: [null, "x"], $rf: "own", left: undefined };
     const back = module.decodeValue(module.encodeValue(value, "step 'a'"));
     console.log(back.at.getTime(), [...back.bytes].join(), JSON.stringify(back.list), back.$rf, "left" in back);
     console.log(module.decodeValue(module.encodeValue(undefined, "step 'a'")));
     for (const bad of [{ a: [new Map()] }, 1n, { f() {} }, NaN])
       try { module.encodeValue(bad, "step 'a'"); } catch (error) { console.log(error.message.split(",")[0]); }
     const rebuilt = module.rebuildStepError(module.describeStepError(Object.assign(new RangeError("far"), { code: "E1" })));
     console.log(rebuilt.name, rebuilt.message, rebuilt.code, rebuilt instanceof module.stepErrors.StepFailed);`,
  );
  expect(stdout.trim().split("\n")).toEqual([
    '5 0,255 [null,"x"] own false',
    "undefined",
    "step 'a' returned an object of Map at $.a[0]",
    "step 'a' returned a bigint at $",
    "step 'a' returned a function at $.f",
    "step 'a' returned NaN at $",
    "RangeError far E1 true",
  ]);
});

test("what has no JSON is refused where the code gives it", async () => {
  const code = `
    const told = (act) => { try { act(); } catch (error) { console.log(error.message); } };
    told(() => step("a", () => 0, { retry: { delay_ms: -1 } }));
    told(() => step("a", () => 0, { retry: { factor: NaN } }));
    told(() => step("a", () => 0, { timeout_ms: NaN }));
    const { stepErrors } = await import(url.replace("steps.mjs", "step-values.mjs"));
    told(() => step("a", () => 0, { retry: { max_delay_ms: -Infinity } }));
    told(() => new stepErrors.RetryAfter(NaN));
    const { createContext } = await import(url.replace("steps.mjs", "context.mjs"));
    told(() => createContext({ files: {}, answers: [] }).usage({ cost_usd: NaN }));`;
  const { stdout, frames } = await runModule("steps", overJournal({ entries: [] }, code));
  expect(stdout.trim().split("\n")).toEqual([
    "A step's retry.delay_ms is a finite number from 0 on, not -1.",
    "A step's retry.factor is a finite number from 0 on, not NaN.",
    "The timeout_ms of step 'a' is a finite number from 0 on, not NaN.",
    "A step's retry.max_delay_ms is a finite number from 0 on, not -Infinity.",
    "RetryAfter's seconds is a number, not NaN.",
    "usage() takes finite numbers; cost_usd is NaN.",
  ]);
  expect(frames).toEqual([]);
});

test("a delay without a bound may be infinite, and RetryAfter takes a header's text", async () => {
  const code = `
    console.log(await step("a", () => 0, { key: "1", retry: { max_delay_ms: Infinity } }));
    const { stepErrors } = await import(url.replace("steps.mjs", "step-values.mjs"));
    console.log(new stepErrors.RetryAfter(Infinity).seconds, new stepErrors.RetryAfter("30").seconds);`;
  const { stdout } = await runModule("steps", overJournal({ entries: [entry("=a:1", "a", 1)] }, code));
  expect(stdout).toBe("1\nInfinity 30\n");
});

test("an input that is longer than a run's may be is refused, and nothing waits for it", async () => {
  const code = `
    const { childMethods } = await import(url.replace("steps.mjs", "children.mjs"));
    try { await childMethods.runAgent("other", { text: "x".repeat(13 << 20) }); } catch (error) { console.log(error.message); }
    console.log(module.journal.waits.size, module.journal.count);`;
  const { stdout } = await runModule("steps", overJournal({ entries: [] }, code));
  expect(stdout).toBe("run_agent()'s input has at most 3145728 bytes.\n0 0\n");
});

test("only an agent's own scripts say whether it uses steps: its bundle's packages and its texts don't", () => {
  const bundle = (own: string) =>
    `// node_modules/openai/index.js\nvar run = "thread.run.step.created";\n\n// src/my index.ts\n${own}\n`;
  const usedBy = (name: string, text: string) => usesSteps({ [name]: text });
  expect(usedBy("src/index.bundle.mjs", bundle('export const main = () => "hello";'))).toBe(false);
  expect(usedBy("src/index.bundle.mjs", bundle('export const main = (_, context) => context.step("a", f);'))).toBe(
    true,
  );
  expect(usedBy("README.md", 'context.step("a", f)')).toBe(false);
  expect(usedBy("node_modules/a/index.js", 'context.step("a", f)')).toBe(false);
  expect(usedBy("main.mjs", 'context.step("a", f)')).toBe(true);
});
