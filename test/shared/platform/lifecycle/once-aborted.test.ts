import { expect, test } from "vitest";
import { onceAborted } from "../../../../shared/platform/lifecycle/once-aborted.ts";

test("who asks for a signal's end hears of it once, also where the signal was aborted before", () => {
  const controller = new AbortController();
  const heard: string[] = [];
  onceAborted(controller.signal, () => heard.push("asked before"));
  controller.abort();
  onceAborted(controller.signal, () => heard.push("asked after"));
  controller.signal.dispatchEvent(new Event("abort"));
  expect(heard).toEqual(["asked before", "asked after"]);
});
