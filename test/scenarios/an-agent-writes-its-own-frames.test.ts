import { expect, test } from "vitest";
import { execute, makeAgent, readEvents } from "../harness/client.ts";
import { py } from "../harness/py.ts";
import { useTestStack } from "../harness/test-stack.ts";

const stack = await useTestStack();
const { url } = await stack.startService();

/** Writes frames into its channel, so often each, and ends as any other. `#` is the how-manieth one it is. */
const agent_id = await makeAgent(
  url,
  py`
    import os, time
    def main(input):
        for text, times in input["frames"]:
            for n in range(times):
                line = (text.replace("#", str(n)) + chr(10)).encode()
                while line: line = line[os.write(3, line):]
        if input.get("exits"): os._exit(0)
        time.sleep(input.get("sleeps", 0))
        print("x" * input.get("prints", 0))
        return "done"
  `,
);
const run = async (frames: [frame: object, times: number][], more: object = {}) => {
  const written = frames.map(([frame, times]) => [JSON.stringify(frame), times]);
  const events = await readEvents(
    await execute(url, { agent_id, version: "current", input_payload: { frames: written, ...more } }),
  );
  const { event = "", data = {} } = events.at(-1) ?? {};
  const error = data["error"] as { code?: string } | null | undefined;
  return [event, data["attempt"], error?.code ?? null];
};

const step = { name: "s", branch: "b", position: 1, try: 1, args: null, closes: [], ok: true };
const ended = (more: object) => ({ type: "step.end", key: "k#", kind: "step", ...step, ...more });
const began = (more: object) => ({ type: "step.start", key: "k#", name: "s", try: 1, closes: [], ...more });

test.each<[why: string, frames: [object, number][], more: object, end: unknown[]]>([
  [
    "a zero in what a run says it is doing keeps neither its transcript nor its slot",
    [[{ type: "progress", message: "a\0b" }, 1]],
    { sleeps: 1.5, prints: 600_000 },
    ["run.success", 1, null],
  ],
  [
    "a question for longer than there are dates is asked",
    [[{ type: "interrupt", expires_in_ms: Number.MAX_SAFE_INTEGER }, 1]],
    { exits: true },
    ["run.interrupted", 1, null],
  ],
  [
    "a question with a zero is asked",
    [[{ type: "interrupt", reason: "\0", message: "\0" }, 1]],
    { exits: true },
    ["run.interrupted", 1, null],
  ],
  [
    "a file whose name has a zero is kept",
    [[{ type: "artifact", name: "\0", mime: "\0", content: "" }, 1]],
    {},
    ["run.success", 1, null],
  ],
  [
    "the same try that begins again and again is one",
    [[began({ key: "k", timeout_ms: 80_000_000, on_timeout: ended({ key: "k", result: "x".repeat(60_000) }) }), 500]],
    {},
    ["run.success", 1, null],
  ],
  [
    "more tries than a run may have under way end it",
    [[began({ timeout_ms: 80_000_000, on_timeout: ended({}) }), 1_100]],
    { sleeps: 20 },
    ["run.error", 1, "journal_full"],
  ],
  [
    "results that are small only when they are compressed fill the journal",
    [[ended({ result: `"${"0".repeat(1_000_000)}"` }), 100]],
    { sleeps: 20 },
    ["run.error", 1, "journal_full"],
  ],
])(
  "%s",
  async (_why, frames, more, end) => {
    expect(await run(frames, more)).toEqual(end);
    // Nobody else's run waits for it, or is charged for it.
    expect(await run([])).toEqual(["run.success", 1, null]);
  },
  60_000,
);
