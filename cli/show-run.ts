import type { EventOf, RunEvent, RunHandle } from "../sdk/ts/index.ts";
import { exitCodes, type ExitName } from "./exit-codes.ts";
import { amountsOf, createStatusLine } from "./status-line.ts";
import type { Terminal } from "./terminal.ts";

const exits: { [type in RunEvent["type"]]?: ExitName } = {
  "run.error": "run_error",
  "run.timeout": "timeout",
  "run.expired": "timeout",
  "run.cancelled": "cancelled",
  "run.interrupted": "interrupted",
};

const statusMs = 200;
/** So many of the last log lines are compared with an error's traceback. */
const comparedLogs = 8;

/** Shows a run as it goes, output on stdout and all else on stderr. Returns the exit code that its end means. */
export async function showRun(terminal: Terminal, run: RunHandle): Promise<number> {
  let isLineOpen = false;
  let last: RunEvent | null = null;
  const logged: string[] = [];
  const status = createStatusLine();
  const startedAt = Date.now();
  // A line of output that has no end yet is not written over.
  const showStatus = (): void => {
    if (!isLineOpen) terminal.status(status.line(Date.now() - startedAt));
  };
  const timer = terminal.isLive ? setInterval(showStatus, statusMs) : undefined;
  try {
    for await (const event of run) {
      status.note(event);
      if (terminal.json) terminal.value(event);
      else isLineOpen = showEvent(terminal, withoutRepeat(event, logged), isLineOpen);
      last = event;
    }
  } finally {
    clearInterval(timer);
    terminal.status(null);
  }
  return endOf(terminal, run, last);
}

/** Waits for a run, and shows its end alone: its result, or with --json its record. Returns the exit code that its end means. */
export async function showEnd(terminal: Terminal, run: RunHandle): Promise<number> {
  let last: RunEvent | null = null;
  for await (const event of run) last = event;
  if (terminal.json) terminal.value(await run.get());
  else if (last) showEvent(terminal, last, false);
  return endOf(terminal, run, last);
}

async function endOf(terminal: Terminal, run: RunHandle, last: RunEvent | null): Promise<number> {
  if (last?.type === "run.error") await showCure(terminal, run, last);
  const exit = last ? exits[last.type] : undefined;
  return exit === undefined ? 0 : exitCodes[exit];
}

/** An agent often logs an error before it throws it. Returns the event without a traceback that one of the last log lines has shown. */
function withoutRepeat(event: RunEvent, logged: string[]): RunEvent {
  if (event.type === "log") logged.push(withoutFolders(event.message));
  if (logged.length > comparedLogs) logged.shift();
  if (event.type !== "run.error" || !event.error?.traceback) return event;
  const traceback = withoutFolders(event.error.traceback).trim();
  return logged.some((message) => message.includes(traceback))
    ? { ...event, error: { ...event.error, traceback: null } }
    : event;
}

/** A log line has a file's whole path, an error's traceback the one in the agent's folder. */
const withoutFolders = (text: string): string =>
  text.replaceAll(/[^\s"'(]+/g, (word) => word.slice(word.lastIndexOf("/") + 1));

/** Returns whether the last line of the output has no end yet. */
function showEvent(terminal: Terminal, event: RunEvent, isLineOpen: boolean): boolean {
  if (event.type === "output.delta") {
    const { content } = event;
    if (typeof content !== "string") terminal.data(`${isLineOpen ? "\n" : ""}${JSON.stringify(content)}`);
    else terminal.write(content);
    return typeof content === "string" && content !== "" ? !content.endsWith("\n") : false;
  }
  const line = describe(event);
  if (line === null) return isLineOpen;
  if (isLineOpen) terminal.write("\n");
  if (event.type === "run.success") showResult(terminal, event.result_content);
  terminal.say(line);
  return false;
}

function showResult(terminal: Terminal, result: unknown): void {
  if (result !== null && result !== undefined) terminal.data(JSON.stringify(result, null, 2));
}

function describe(event: RunEvent): string | null {
  switch (event.type) {
    case "run.waiting":
      return `… waits: ${event.queue.wait_reason}`;
    case "run.started":
      return event.attempt > 1 ? describeAttempt(event) : null;
    case "log":
      return `  ${event.message.trimEnd().replaceAll("\n", "\n  ")}`;
    case "tool.start":
      return `▸ ${event.name} ${JSON.stringify(event.args)}`;
    case "tool.end":
      return event.error === null ? null : `  ✗ ${event.error}`;
    default:
      return describeEnd(event);
  }
}

/** An attempt that has a journal goes on from it. */
const describeAttempt = ({ attempt, discards }: EventOf<"run.started">): string =>
  `↻ attempt ${attempt}${discards ? ": what stands above is void" : " goes on"}`;

function describeEnd(event: RunEvent): string | null {
  switch (event.type) {
    case "run.interrupted":
      return describeQuestions(event);
    case "run.success":
      return ["✓ success" + seconds(event), ...amountsOf(event.usage ?? {}), event.run_id].join(" · ");
    case "run.error":
      return describeError(event);
    case "run.timeout":
    case "run.cancelled":
    case "run.expired":
      return `✗ ${event.status}${seconds(event)} · ${event.run_id}`;
    default:
      return null;
  }
}

const seconds = ({ duration_ms }: { duration_ms: number }): string => ` ${(duration_ms / 1000).toFixed(2)} s`;

function describeError(event: EventOf<"run.error">): string {
  const { code, message, traceback } = event.error ?? { code: "error", message: "", traceback: null };
  return `${traceback ? `${traceback.trimEnd()}\n` : ""}✗ ${code}: ${message}${seconds(event)} · ${event.run_id}`;
}

/** Says what to do about an error, where it is done by a command. */
async function showCure(terminal: Terminal, run: RunHandle, { error }: EventOf<"run.error">): Promise<void> {
  const cure = error && cures[error.code];
  if (!cure || terminal.json) return;
  const { agent_id, version } = await run.get();
  terminal.say(`  ${cure({ agent_id, version, message: error.message })}`);
}

const cures: Record<string, (of: { agent_id: string; version: string; message: string }) => string> = {
  secret_not_set: ({ agent_id, message }) => {
    const [, name = "NAME"] = /aren't set: (\w+)/.exec(message) ?? [];
    return `Set it with: runfleet secrets set ${name}, with --agent ${agent_id} for this agent alone`;
  },
  build_failed: ({ agent_id, version }) => `Its log: runfleet versions build ${agent_id} ${version}`,
};

function describeQuestions({ interrupts, run_id }: EventOf<"run.interrupted">): string {
  const questions = interrupts.map(({ message }) => `? ${message ?? "The run asks."}`);
  return `${questions.join("\n")}\n  Answer it with: runfleet resume ${run_id} '<answer as JSON>'`;
}
