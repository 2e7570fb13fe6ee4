import { once } from "node:events";
import { PassThrough } from "node:stream";
import type { SandboxExit, SandboxProcess } from "../../../worker/sandbox/process.ts";

/** A process that says and does only what a test has it do: it counts its kills and ends when `end` is called. */
export type FakeProcess = {
  child: SandboxProcess;
  kills(): number;
  /** Resolves when it has been sent something. */
  asked: Promise<unknown>;
  /** Writes to its event channel. */
  say(frame: object): void;
  end(): void;
};

export function openFakeProcess(): FakeProcess {
  const [stdin, stdout, stderr, events] = [new PassThrough(), new PassThrough(), new PassThrough(), new PassThrough()];
  let kills = 0;
  let onExit = (_exit: SandboxExit): void => {};
  const exited = new Promise<SandboxExit>((resolve) => (onExit = resolve));
  const kill = (): void => void (kills += 1);
  const usage = () => ({ cpu_ms: 0, memory_bytes: 0 });
  return {
    child: {
      pid: 1,
      stdin,
      stdout,
      stderr,
      events,
      exited,
      usage,
      cpuMs: () => 0,
      listener: null,
      kill,
      terminate: () => undefined,
    },
    kills: () => kills,
    asked: once(stdin, "data"),
    say: (frame) => void events.write(`${JSON.stringify(frame)}\n`),
    end() {
      for (const pipe of [events, stdout, stderr]) pipe.end();
      onExit({ code: null, signal: "SIGKILL", limit: null, cpu_ms: 0, max_rss_bytes: null });
    },
  };
}
