import { expect, test } from "vitest";
import { closeInReverse } from "../../../../shared/platform/lifecycle/close-in-reverse.ts";

test("what was opened is closed once, the last first, whatever one of them throws and however often it is asked", async () => {
  const closed: string[] = [];
  const opened = ["first", "second", "third"].map((name) => () => {
    closed.push(name);
    if (name === "second") throw new Error("it can't be closed");
  });
  await closeInReverse(opened);
  await closeInReverse(opened);
  expect(closed).toEqual(["third", "second", "first"]);
});
