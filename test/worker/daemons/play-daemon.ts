import { afterAll } from "vitest";
import type { AgentRequest } from "../../../worker/adapters/adapter.ts";
import type { AgentFrame, Frame } from "../../../worker/channel/frame-schema.ts";
import type { DaemonHost, DaemonStart } from "../../../worker/daemons/daemon-host.ts";
import { type DaemonProcess, openDaemonProcess } from "../../../worker/daemons/daemon-process.ts";
import type { Sandbox } from "../../../worker/sandbox/sandbox.ts";
import { agentRequest, resources } from "../adapters/run-agent.ts";
import { openLevels } from "../sandbox/open-levels.ts";

/** What a file's daemons need of this machine, until its tests have ended. `level`: from 0, the strongest, to -1, the weakest. */
export async function openMachine() {
  const machine = await openLevels();
  afterAll(() => machine.close());
  const level = (index: number): Sandbox => {
    const found = machine.levels.at(index);
    if (!found) throw new Error("no level at all");
    return found;
  };
  return { python: machine.python, directory: machine.directory, level };
}

export type Started = { daemon: DaemonProcess; own: AgentFrame[]; prints: string[]; ready: Promise<void> };

/** Starts a daemon of one file, and keeps what it says for none of its messages. */
export async function startDaemon(
  host: DaemonHost,
  [file, source]: [string, string],
  changes: Partial<DaemonStart> = {},
): Promise<Started> {
  const own: AgentFrame[] = [];
  const prints: string[] = [];
  let onReady = (): void => {};
  const ready = new Promise<void>((resolve) => (onReady = resolve));
  const identity = { agent_id: "agent_1", user_id: "user_1", version: "1.0.0", env: { COLOUR: "blue" } };
  const kind = { lifecycle: "daemon" as const, packages: null, egress: null };
  const code = { entrypoint: file, code: { [file]: source }, state_snapshot: "kept", resources };
  const daemon = openDaemonProcess(await host({ ...identity, ...kind, ...code, ...changes }), {
    onReady,
    onAlive: () => {},
    onOwn: (frame) => own.push(frame),
    onPrint(_stream, text) {
      prints.push(text);
      return null;
    },
  });
  return { daemon, own, prints, ready };
}

let count = 0;

/** Has a message played to its end. */
export async function deliver(
  daemon: DaemonProcess,
  input_payload: Record<string, unknown>,
  changes: Partial<AgentRequest> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<Frame[]> {
  const frames: Frame[] = [];
  const request = agentRequest("chatty", { run_id: `run_${++count}`, input_payload, thread_id: null, ...changes });
  for await (const frame of daemon.deliver(request, signal)) frames.push(frame);
  return frames;
}

export const resultOf = (frames: Frame[]): unknown => frames.find((frame) => frame.type === "result")?.result_content;
