import { expect, test } from "vitest";
import { runOnce } from "./run-once.ts";

const work = `async function main() { await new Promise((done) => setTimeout(done, 50)); console.log("worked"); }\nmain();\n`;

test.each(["main.mjs", "main.cjs"])(
  "a script ends when nothing is left to do, also without await: %s",
  async (name) => {
    const { frames, exit } = await runOnce({ [name]: work });
    expect(frames).toMatchObject([
      { type: "output", content: "worked\n" },
      { type: "result", result_content: null },
    ]);
    expect(exit).toBe(0);
  },
);

test("an error in what a script left to itself is the run's", async () => {
  const { frames, exit } = await runOnce({
    "main.mjs": 'setTimeout(() => { throw new RangeError("late"); }, 20);',
  });
  expect(frames).toMatchObject([{ type: "error", error_type: "RangeError", message: "late" }]);
  expect(exit).toBe(1);
});

test("an iterator that says `.step` ends at its next yield when it is asked to, and is closed", async () => {
  const { frames } = await runOnce({
    "main.mjs": `export async function* main(input, context) {
      if (input.never) await context.step("a", () => 1);
      yield "up";
      try {
        for (;;) {
          await new Promise((done) => setTimeout(done, 5));
          yield 1;
        }
      } finally { context.saveState("tidied"); }
    }`,
  });
  expect(frames.find(({ type }) => type === "state")).toMatchObject({ state_snapshot: "tidied" });
  expect(frames.at(-1)).toMatchObject({ type: "error", error_type: "AbortError" });
});

test.each([
  ["uncaughtException", 'setTimeout(() => { throw new Error("odd"); }, 10);'],
  ["uncaughtException", 'Promise.reject(new Error("odd"));'],
  ["unhandledRejection", 'Promise.reject(new Error("odd"));'],
])("an agent's own handler of %s takes what nobody caught, and the run goes on: %s", async (event, act) => {
  const { frames } = await runOnce({
    "main.mjs": `process.on("${event}", (error) => console.log(error.message));
      export async function main() { ${act} await new Promise((done) => setTimeout(done, 50)); return 1; }`,
  });
  expect(frames).toMatchObject([
    { type: "output", content: "odd\n" },
    { type: "result", result_content: 1 },
  ]);
});
