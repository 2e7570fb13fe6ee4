import type { Duplex } from "node:stream";
import type { SandboxProcess } from "../../sandbox/process.ts";
import { type Interpreter, loaded } from "../../warm/interpreter.ts";

/** The answer to `load` is a list of names, and shorter than this. */
const maxAnswer = 1024 * 1024;

type Killable = { kill(): void; exited: Promise<unknown> };

/** `isGone` is true after a kill as well: an answer that came before the kill may still be read. */
function watchEnd(child: Killable): Pick<Interpreter, "exited" | "isGone" | "kill"> {
  let gone = false;
  void child.exited.then(() => (gone = true));
  return {
    exited: child.exited,
    isGone: () => gone,
    kill() {
      gone = true;
      child.kill();
    },
  };
}

/** Makes an interpreter of a process that was started with the program `once`. It loads code, and then executes one run. */
export function createNodeInterpreter(child: SandboxProcess, typeStripper: string): Interpreter {
  let hasRun = false;
  let endedMs = 0;
  void child.exited.then(({ cpu_ms }) => (endedMs = cpu_ms ?? 0));
  return {
    async load({ cpu_ms: _limit, ...code }) {
      child.stdin.write(`${JSON.stringify({ ...code, type_stripper: typeStripper })}\n`);
      return loaded.parse(JSON.parse(await readAnswer(child.events)));
    },
    run(request) {
      const {
        resources: _,
        egress: _egress,
        version_env: _env,
        requirements: _required,
        lock: _lock,
        ...rest
      } = request;
      child.listener?.beginRun(request.calls?.() ?? null);
      child.stdin.write(`${JSON.stringify(rest)}\n`);
      hasRun = true;
      return { ...child, reply: (line) => void child.stdin.write(`${line}\n`) };
    },
    settled: null,
    usage: () => child.usage(),
    // Without a cgroup, only the exit tells the CPU time of a process that has ended.
    unbilledMs: () => (hasRun ? 0 : Math.max(child.cpuMs(), endedMs)),
    ...watchEnd(child),
  };
}

/** Returns the first line; later bytes stay in the stream. Rejects when the channel ends before. */
function readAnswer(events: Duplex): Promise<string> {
  return new Promise((resolve, reject) => {
    let read = Buffer.alloc(0);
    const settle = (): void => {
      events.off("data", take).off("close", fail);
      events.pause();
    };
    const fail = (): void => {
      settle();
      reject(new Error("The process ended without an answer."));
    };
    const take = (chunk: Buffer): void => {
      read = Buffer.concat([read, chunk]);
      const end = read.indexOf("\n");
      if (end === -1) return read.length > maxAnswer ? fail() : undefined;
      settle();
      if (end + 1 < read.length) events.unshift(read.subarray(end + 1));
      resolve(read.toString("utf8", 0, end));
    };
    events.on("data", take).once("close", fail);
  });
}
