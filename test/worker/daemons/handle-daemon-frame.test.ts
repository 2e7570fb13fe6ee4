import { expect, test } from "vitest";
import type { AgentFrame } from "../../../worker/channel/frame-schema.ts";
import type { DaemonLife } from "../../../worker/daemons/daemon-life.ts";
import { handleDaemonFrame } from "../../../worker/daemons/handle-daemon-frame.ts";

test("what belongs to a message and names none is dropped, and the daemon's log says so once", () => {
  const lines: string[] = [];
  const log = { add: (_stream: string, text: string) => void lines.push(text) };
  const life = { log, dropped: new Set<string>() } as unknown as DaemonLife;
  const usage: AgentFrame = { type: "usage", input_tokens: 1 };
  const artifact: AgentFrame = { type: "artifact", name: "a", mime: null, content: "" };
  for (const frame of [usage, usage, artifact]) handleDaemonFrame(life, frame);
  expect(lines).toEqual([
    expect.stringMatching(/^A frame 'usage' belongs to no message and is dropped/),
    expect.stringMatching(/^A frame 'artifact' belongs/),
  ]);
});
