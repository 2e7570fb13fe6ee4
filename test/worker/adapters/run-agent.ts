import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Adapter, AgentRequest } from "../../../worker/adapters/adapter.ts";
import type { ExitFrame, Frame } from "../../../worker/channel/frame-schema.ts";

const MiB = 1024 * 1024;

export const resources = {
  timeout_ms: 10_000,
  cpu_ms: 10_000,
  memory_bytes: 192 * MiB,
  processes: 32,
  disk_bytes: 8 * MiB,
};

/** A request to run a program of test/agents, named without `.py`. */
export function agentRequest(agent: string, changes: Partial<AgentRequest> = {}): AgentRequest {
  const source = readFileSync(new URL(`../../agents/${agent}.py`, import.meta.url), "utf8");
  const request = {
    run_id: "run_1",
    attempt: 1,
    user_id: "user_1",
    agent_id: "agent_1",
    thread_id: "thread_1",
    runtime_mode: "standard",
    lifecycle: "serverless",
    entrypoint: `${agent}.py`,
    command: null,
    url: null,
    image: null,
    output: "text" as const,
    code: { [`${agent}.py`]: source },
    files: {},
    requirements: [],
    lock: null,
    input_payload: {},
    history: [],
    answers: [],
    state_snapshot: "",
    metadata: {},
    env: {},
    version_env: {},
    resources,
    egress: null,
    stop_grace_ms: 2_000,
    idle_timeout_ms: 1_000,
    ...changes,
  };
  // A version never changes what it runs, nor with what.
  const { entrypoint, code, resources: given } = request;
  const made = hash("sha1", JSON.stringify([entrypoint, code, given]));
  return { version: made, config_hash: made, ...request };
}

export type Collected = {
  frames: Frame[];
  /** The `content` of each output frame. */
  outputs: unknown[];
  result: unknown;
  error: Extract<Frame, { type: "error" }> | undefined;
  exit: ExitFrame;
};

/** Runs to the end; aborts on the first frame that `abortOn` accepts. Checks that `started` is first and `exit` last. */
export async function runAgent(
  adapter: Adapter,
  request: AgentRequest,
  abortOn: (frame: Frame) => boolean = () => false,
): Promise<Collected> {
  const controller = new AbortController();
  const frames: Frame[] = [];
  for await (const frame of adapter.run(request, controller.signal)) {
    frames.push(frame);
    if (abortOn(frame)) controller.abort();
  }
  const exits = frames.filter((frame) => frame.type === "exit");
  const exit = frames.at(-1);
  if (frames[0]?.type !== "started" || exit?.type !== "exit" || exits.length !== 1)
    throw new Error(`started first and one exit last: ${JSON.stringify(frames.map((frame) => frame.type))}`);
  return {
    frames,
    outputs: frames.flatMap((frame) => (frame.type === "output" ? [frame.content] : [])),
    result: frames.find((frame) => frame.type === "result")?.result_content,
    error: frames.find((frame) => frame.type === "error"),
    exit,
  };
}
