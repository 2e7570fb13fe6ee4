import { expect, test } from "vitest";
import { runModule } from "./run-module.ts";

const request = {
  run_id: "m1",
  thread_id: null,
  input_payload: { q: 1 },
  state_snapshot: null,
  files: { "a/b.txt": "data:;base64,/wA=" },
  answers: ["yes"],
  env: {},
};

const open = `
  import { existsSync, readFileSync } from "node:fs";
  const request = ${JSON.stringify(request)};
  const message = new module.Message(request, { directory: null, extras: { extra: 1 } });`;

test("a message has its input, its context, and its files in a directory of its own, until it is answered", async () => {
  const { frames, stdout, stderr } = await runModule(
    "message",
    `${open}
     message.open();
     const file = message.context.files["a/b.txt"];
     console.log(JSON.stringify([message.input, message.context.extra, file.endsWith(".messages/m1/a/b.txt"), [...readFileSync(file)]]));
     message.reply({ done: true });
     await message.over;
     console.log(existsSync(file), existsSync("."));`,
  );
  expect(stderr).toBe("");
  expect(stdout).toBe('[{"q":1},1,true,[255,0]]\nfalse true\n');
  expect(frames).toEqual([{ type: "result", result_content: { done: true } }]);
});

test("a message has one answer: later ones are ignored", async () => {
  const { frames } = await runModule(
    "message",
    `${open}
     message.fail(new RangeError("bad"));
     message.reply("late");
     message.fail("late");`,
  );
  expect(frames).toMatchObject([{ type: "error", error_type: "RangeError", message: "bad" }]);
});

test("a question that was answered returns its answer, and the next one ends the message", async () => {
  const { frames } = await runModule(
    "message",
    `${open}
     try {
       module.calledFor.run(message, () => message.context.emit("answer", message.context.interrupt("one?")));
       message.context.interrupt({ two: 2 }, { expires_in_ms: 5 });
     } catch (error) { message.fail(error); }`,
  );
  expect(frames).toEqual([
    { type: "custom", name: "answer", value: "yes" },
    { type: "interrupt", reason: "input_required", message: '{"two":2}', response_schema: null, expires_in_ms: 5 },
  ]);
});

test("a cancel aborts the message's signal, for the message that it belongs to", async () => {
  const { stdout } = await runModule(
    "message",
    `${open}
     const { signal } = message.context;
     signal.addEventListener("abort", () => console.log(module.calledFor.getStore() === message, signal.reason.name));
     message.cancel();`,
  );
  expect(stdout).toBe("true Cancelled\n");
});

test.each(["../a", "/a", "a//b", "./a", "a/..", ""])(
  "a file's name that leads elsewhere is refused: %j",
  async (name) => {
    const { stdout } = await runModule(
      "context",
      `try { module.writeFiles({ ${JSON.stringify(name)}: "x" }); } catch (error) { console.log(error.message); }`,
    );
    expect(stdout).toContain("is no relative path inside the run's directory");
  },
);
