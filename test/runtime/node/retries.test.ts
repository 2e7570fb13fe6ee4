import { expect, test } from "vitest";
import { DurableRun } from "./durable-run.ts";

/** On the first attempt `bad` fails, and the run fails at its end. A step gives 1, and 100 once `bad` succeeds. */
const agent = (body: string): string => `
  export async function main(input, context) {
    const { attempt } = context;
    const ms = (n) => new Promise((resolve) => setTimeout(resolve, n));
    const ok = (name, n = 1) => context.step(name, () => ms(n).then(() => 1));
    const bad = (name, n = 1) => context.step(name, async () => {
      await ms(n);
      if (attempt === 1) throw new Error("not now");
      return 100;
    });
    const values = async (promises) => (await Promise.allSettled(promises)).map(({ value = 0 }) => value);
    const sum = (found, name = "sum") => context.step(name, () => found.flat().reduce((all, one) => all + one, 0));
    const fails = async (n = "") => [await ok("a" + n), await bad("b" + n)];
    const works = async (n = "") => [await ok("c" + n, 100), await ok("d" + n)];
    const result = await (async () => { ${body} })();
    if (attempt === 1) throw new Error("later");
    return result;
  }`;

const flows: [what: string, body: string, kept: string[], result: unknown][] = [
  ["first of two", `return sum(await values([bad("a"), ok("b", 50)]));`, ["b"], 101],
  ["last of two", `return sum(await values([ok("b"), bad("a")]));`, ["b"], 101],
  ["in a flow of several", `return sum(await values([fails(), works()]));`, ["a", "c", "d"], 103],
  [
    "in a flow that is awaited alone",
    `const a = works(), b = fails().catch(() => 0); return sum([await a, await b]);`,
    ["a", "c", "d"],
    103,
  ],
  [
    "in a function that is called",
    `try { return await fails(); } catch { await ms(5); return ok("e"); }`,
    ["a"],
    [1, 100],
  ],
  ["and another one is first", `return sum([await Promise.any([bad("a"), ok("b", 50)])]);`, ["b"], 1],
  [
    "in one of many flows that join others",
    `return values([0, 1, 2].map(async (n) => sum(await values([n === 1 ? fails(n) : works(n), ok("e" + n, 50)]), "sum" + n)));`,
    ["a1", "c0", "c2", "d0", "d2", "e0", "e1", "e2", "sum0", "sum2"],
    [3, 102, 3],
  ],
  [
    "in a flow that begins with another wait",
    `return sum(await values([0, 1].map((n) => context.branch("n" + n, () => ms(20 * n + 5).then(() => (n === 0 ? bad : ok)("a" + n))))));`,
    ["a1"],
    101,
  ],
];

test.each(flows)(
  "what comes after a failed step is done anew, and the rest stays: %s",
  async (_, body, kept, result) => {
    const run = new DurableRun(agent(body));
    const first = await run.go();
    expect(first.at(-1)).toMatchObject({ type: "error", message: "later" });
    run.drop();
    expect(run.names()).toEqual(kept);
    expect((await run.go()).at(-1)).toMatchObject({ type: "result", result_content: result });
  },
);

test("flows beside one that failed keep what they did after it", async () => {
  const each = `(n) => (n === 0 ? bad("a0") : ok("a" + n, 40 * n)).then(() => ok("b" + n))`;
  const run = new DurableRun(agent(`return values([0, 1, 2, 3].map(${each}));`));
  await run.go();
  run.drop();
  expect(run.names()).toEqual(expect.arrayContaining(["a1", "a2", "a3", "b2", "b3"]));
  expect((await run.go()).at(-1)).toMatchObject({ type: "result", result_content: [1, 1, 1, 1] });
});

test("after a race that was won nothing is done anew", async () => {
  const race = `await context.first(1, [context.runAgent("fast", {}), context.runAgent("slow", {})]);`;
  const run = new DurableRun(agent(`${race} return ok("charge");`));
  await run.go();
  run.drop();
  expect(run.names()).toEqual(["charge", "run_agent fast"]);
  const again = await run.go();
  expect(again.filter(({ type }) => type === "step.start")).toEqual([]);
  expect(again.at(-1)).toMatchObject({ type: "result", result_content: 1 });
});

test("a retry waits again for what a failed attempt gave up", async () => {
  const run = new DurableRun(`
    export async function main(input, { attempt, waitFor }) {
      const ending = new AbortController();
      const go = waitFor("go", { signal: ending.signal });
      go.catch(() => {});
      try {
        if (attempt === 1) throw new Error("not now");
        return await go;
      } finally {
        ending.abort();
      }
    }`);
  expect((await run.go()).at(-1)).toMatchObject({ type: "error", message: "not now" });
  run.drop();
  run.signals.push("go");
  expect((await run.go()).at(-1)).toMatchObject({ type: "result", result_content: "go" });
});

test("a wait that its time-out gave up is given up on the next attempt, too", async () => {
  const run = new DurableRun(`
    export async function main(input, context) {
      const signal = AbortSignal.timeout(50);
      const came = await context.waitFor("go", { signal }).catch((error) => error.name);
      return [came, context.interrupt("Go on?")];
    }`);
  expect((await run.go()).at(-1)).toMatchObject({ type: "interrupt" });
  run.answers.push("yes");
  expect((await run.go()).at(-1)).toMatchObject({
    type: "result",
    result_content: ["TimeoutError", "yes"],
  });
});

const questions: [what: string, body: string, asked: number][] = [
  [
    "a promise of the code's own races with a step",
    `const ready = ms(100); await context.step("plan", () => ms(300)); await ready; return [context.interrupt("Go?"), context.interrupt("Go?")];`,
    2,
  ],
  [
    "its words are others on each attempt",
    `await context.step("plan", () => 1); return [context.interrupt("Go at " + Math.random() + "?"), context.interrupt("Sure?")];`,
    2,
  ],
];

test.each(questions)("a question is asked once: %s", async (_, body, asked) => {
  const run = new DurableRun(
    `const ms = (n) => new Promise((resolve) => setTimeout(resolve, n));
     export async function main(input, context) { ${body} }`,
  );
  for (let number = 1; number <= asked; number += 1) {
    expect((await run.go()).at(-1)).toMatchObject({ type: "interrupt" });
    run.answers.push(`answer ${number}`);
  }
  const answers = Array.from({ length: asked }, (__, index) => `answer ${index + 1}`);
  expect((await run.go()).at(-1)).toMatchObject({ type: "result", result_content: answers });
});

test("flows that ask in another order than before get the answers to their own questions", async () => {
  const run = new DurableRun(`
    export async function main(input, context) {
      await context.step("begin", () => 1);
      let go;
      const first = new Promise((resolve) => (go = resolve));
      const ask = async (name) => {
        await null;
        if (name === (context.attempt % 2 === 1 ? "B" : "A")) await first;
        try {
          return context.interrupt("Pay " + name + "?");
        } finally {
          go();
        }
      };
      return Promise.all([ask("A"), ask("B")]);
    }`);
  for (let frames = await run.go(); frames.at(-1)?.type === "interrupt"; frames = await run.go())
    run.answers.push(`yes to ${String(frames.at(-1)?.["message"])}`);
  expect(run.answers).toEqual(["yes to Pay A?", "yes to Pay B?"]);
});
