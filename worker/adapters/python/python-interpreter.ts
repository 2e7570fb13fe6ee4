import { constants } from "node:os";
import type { Duplex } from "node:stream";
import { z } from "zod";
import type { SandboxExit } from "../../sandbox/process.ts";
import type { ResidentProcess, SandboxUsage } from "../../sandbox/resident.ts";
import { type Interpreter, loaded } from "../warm/interpreter.ts";
import { watchEnd } from "../warm/watch-end.ts";
import { type CutStream, cutStream } from "./cut-stream.ts";

/** Where Python finds packages: what the machine has, and the agent's own. */
type Site = { site_path: string[]; packages: string | null };
type Equipment = { runner: Buffer; site: Site };

const answer = z.discriminatedUnion("type", [
  loaded,
  z.object({
    type: z.literal("ended"),
    /** Negative: the signal that ended it. */
    exit_code: z.int(),
    cpu_ms: z.number(),
    max_rss_bytes: z.number(),
    token: z.string().max(64),
  }),
  z.object({ type: z.literal("clean") }),
]);
type Answer = z.infer<typeof answer>;
type Ended = Extract<Answer, { type: "ended" }>;

const cpuCheckMs = 250;
/** More than its longest answer, a list of names. */
const maxAnswer = 1024 * 1024;

/** Takes over a resident that was started with the resident's bootstrap: gives it the runner's code, and makes it ready. */
export function takeOverPython(resident: ResidentProcess, { runner, site }: Equipment): Interpreter {
  const { send, ask } = openDialogue(resident);
  equip(resident, runner);
  send("start", site);
  let before = resident.readUsage();
  /** Whether the last request has left this process: what is under way would be the next run's. */
  let read = true;
  const end = watchEnd(resident);

  return {
    async load(code) {
      send("load", code);
      const { type: _, ...answered } = await ask("loaded");
      before = resident.readUsage();
      return answered;
    },
    run(request) {
      const { resources, code: _code, version_env: _env, requirements: _required, ...rest } = request;
      const streams = [resident.events, resident.stdout, resident.stderr].map(cutStream) as [
        CutStream,
        CutStream,
        CutStream,
      ];
      const cpu = watchCpu(resident, (before?.cpu_ms ?? 0) + resources.cpu_ms);
      let over = false;
      const ended = ask("ended").then((report): SandboxExit => {
        for (const stream of streams) stream.endAt(Buffer.from(`\0runfleet-end:${report.token}\n`));
        return toExit(report, before, resident.readUsage());
      });
      const exited = ended
        .catch(() => resident.exited)
        .then((exit) => {
          over = true;
          return cpu.stop() ? { ...exit, limit: "cpu" as const } : exit;
        });
      const body = Buffer.from(JSON.stringify({ ...rest, rlimits: resident.rlimits(resources.cpu_ms) }));
      const head = Buffer.alloc(8);
      head.writeBigUInt64BE(BigInt(body.length));
      read = false;
      resident.events.write(Buffer.concat([head, body]), () => (read = true));
      const [events, stdout, stderr] = streams.map(({ chunks }) => chunks) as [Chunks, Chunks, Chunks];
      return { events, stdout, stderr, exited, kill: () => over || end.kill() };
    },
    async settled() {
      const clean = await ask("clean").then(
        () => true,
        () => false,
      );
      before = resident.readUsage();
      return clean && read && !end.isGone();
    },
    memoryBytes: () => resident.memoryBytes(),
    ...end,
  };
}

type Chunks = AsyncIterable<Uint8Array>;

function equip({ stdin, control }: ResidentProcess, runner: Buffer): void {
  stdin.end();
  control.write(`${runner.length}\n`);
  control.write(runner);
}

function openDialogue(resident: ResidentProcess) {
  const { control } = resident;
  const answers = readAnswers(resident);
  const send = (name: string, body: unknown): void => {
    const bytes = Buffer.from(JSON.stringify(body));
    control.write(`${name} ${bytes.length}\n`);
    control.write(bytes);
  };
  const ask = async <T extends Answer["type"]>(type: T): Promise<Extract<Answer, { type: T }>> => {
    const next = await answers.next();
    if (next?.type === type) return next as Extract<Answer, { type: T }>;
    resident.kill();
    throw new Error("The interpreter is gone.");
  };
  return { send, ask };
}

/** A resident's answers in order; null for good once it is gone or talks nonsense. */
function readAnswers({ control, exited }: Pick<ResidentProcess, "control" | "exited">) {
  const ready: (Answer | null)[] = [];
  let waiting: ((answer: Answer | null) => void) | null = null;
  let ended = false;
  const give = (item: Answer | null): void => {
    if (!waiting) return void ready.push(item);
    waiting(item);
    waiting = null;
  };
  const end = (): void => {
    ended = true;
    give(null);
  };
  onLines(control, (line) => give(parseAnswer(line)));
  void exited.then(end);
  return {
    next: (): Promise<Answer | null> => {
      const first = ready.shift();
      if (first !== undefined) return Promise.resolve(first);
      return ended ? Promise.resolve(null) : new Promise((resolve) => (waiting = resolve));
    },
  };
}

function onLines(control: Duplex, take: (line: string) => void): void {
  let rest = "";
  control.on("data", (chunk: Buffer) => {
    const lines = (rest + chunk.toString("latin1")).split("\n");
    rest = (lines.pop() ?? "").slice(0, maxAnswer);
    for (const line of lines) take(line);
  });
}

function parseAnswer(line: string): Answer | null {
  try {
    return answer.parse(JSON.parse(line));
  } catch {
    return null;
  }
}

/** Ends a run whose processes took more CPU time together than they may; rlimits grant it to each of them. */
function watchCpu(resident: ResidentProcess, limitMs: number): { stop(): boolean } {
  let over = false;
  const timer = setInterval(() => {
    over ||= (resident.readUsage()?.cpu_ms ?? 0) > limitMs;
    if (over) resident.kill();
  }, cpuCheckMs).unref();
  return {
    stop: () => {
      clearInterval(timer);
      return over;
    },
  };
}

function toExit(report: Ended, before: SandboxUsage | null, after: SandboxUsage | null): SandboxExit {
  const { exit_code, max_rss_bytes } = report;
  const code = exit_code < 0 ? null : exit_code;
  const signal = Object.entries(constants.signals).find(([, number]) => number === -exit_code)?.[0] ?? null;
  const cpu_ms = before && after ? after.cpu_ms - before.cpu_ms : report.cpu_ms;
  return { code, signal, limit: limitBehind(signal, code, before, after), cpu_ms, max_rss_bytes };
}

function limitBehind(
  signal: string | null,
  code: number | null,
  before: SandboxUsage | null,
  after: SandboxUsage | null,
): SandboxExit["limit"] {
  if (signal === "SIGXCPU") return "cpu";
  if (code === 0 || !before || !after) return null;
  if (after.memoryKills > before.memoryKills) return "memory";
  return after.refusedForks > before.refusedForks ? "processes" : null;
}
