import { type AgentProcess, type Frame, type Program, startAgent } from "./agent-process.ts";
import { requestOf } from "./request.ts";
import { createWorld, type Script, type World } from "./world.ts";

/** What a mocked step ends as: a value, or an error that it raises. */
export type Raised = { error: { type: string; message?: string } };

export type Rehearsal = Partial<Script> & {
  input?: unknown;
  /** What steps give instead of being done, by name: one after the other, the last one again and again. */
  steps?: Record<string, (Raised | { result: unknown })[]>;
  /** What people answer, in the order of the questions. */
  answers?: unknown[];
  /** The process is ended at each wait, and the run goes on by its journal: as if its worker had died there. */
  restarts?: boolean;
};

export type Rehearsed = {
  result: unknown;
  error: { code: string; type: string; message: string } | null;
  /** What the run waits for, if it has come to no end. */
  waiting: string[];
  /** The first question that has no answer. */
  question: unknown;
  /** What was said, void words left out. */
  output: string;
  /** The steps that were done or mocked, in the order of their ends. */
  steps: { name: string; key: string; tries: number; ok: boolean }[];
  events: { name: string; value: unknown }[];
  /** The time that was skipped. */
  slept_ms: number;
  attempts: number;
};

/** Runs an agent on this machine with mocked steps and scripted signals. Time is skipped: a sleep of a week takes no time. */
export async function rehearse(
  program: Program,
  { steps = {}, restarts = false, ...given }: Rehearsal,
): Promise<Rehearsed> {
  const { input = {}, answers = [], signals = [], messages = [] } = given;
  const world = createWorld({ signals, messages });
  const mocks = Object.fromEntries(Object.entries(steps).map(([name, outcomes]) => [name, outcomes.map(toOutcome)]));
  const rehearsed = nothing();
  let answered = 0;
  for (;;) {
    rehearsed.attempts += 1;
    rehearsed.output = "";
    rehearsed.events = [];
    const { answered: before, ...part } = world.part();
    const request = requestOf({
      ...{ input, answers: answers.slice(before, answered), ...world.kept(), ...part, attempt: rehearsed.attempts },
      rehearsal: { mocks },
    });
    const agent = startAgent(program, request);
    const left = await followToEnd(agent, { world, rehearsed, restarts, answered });
    rehearsed.slept_ms = world.clock();
    if (left === "again") continue;
    if (left === "asked" && answered < answers.length) {
      answered += 1;
      rehearsed.question = null;
      continue;
    }
    if (left === "died") rehearsed.error = { code: "agent_error", type: "Exit", message: agent.stderr().trim() };
    return rehearsed;
  }
}

const nothing = (): Rehearsed => ({
  ...{ result: null, error: null, waiting: [], question: null, output: "", steps: [], events: [] },
  ...{ slept_ms: 0, attempts: 0 },
});

const toOutcome = (outcome: Raised | { result: unknown }) =>
  "error" in outcome ? outcome : { result: JSON.stringify(outcome.result ?? null) };

type Following = { world: World; rehearsed: Rehearsed; restarts: boolean; answered: number };
type Left = "ended" | "asked" | "again" | "waits" | "died";

async function followToEnd(agent: AgentProcess, following: Following): Promise<Left> {
  try {
    return await follow(agent, following);
  } finally {
    await agent.stop();
  }
}

/** Plays the worker of one process. Returns why it has ended. */
async function follow(agent: AgentProcess, { world, rehearsed, restarts, answered }: Following): Promise<Left> {
  let given = 0;
  for await (const frame of agent.frames) {
    if (frame === null) continue;
    note(rehearsed, frame);
    const end = endings[frame.type];
    if (end) {
      world.end(frame, { attempt: rehearsed.attempts, answered });
      return end;
    }
    const isIdle = frame.type === "idle";
    // It has not heard what was sent to it meanwhile.
    if (isIdle && frame["seen"] !== given) continue;
    const line = isIdle ? world.skip() : world.take(frame);
    if (isIdle && line === null) {
      rehearsed.waiting = world.waiting();
      return "waits";
    }
    if (isIdle && restarts) return "again";
    if (line === null) continue;
    given += 1;
    agent.send(line);
  }
  return "died";
}

const endings: Readonly<Record<string, Left>> = {
  ...{ result: "ended", error: "ended", interrupt: "asked", continue: "again" },
};

/** Notes what the code says of itself. */
function note(rehearsed: Rehearsed, frame: Frame): void {
  const { type, key, name } = frame;
  if (type === "output") rehearsed.output += textOf(frame["content"]);
  if (type === "custom") rehearsed.events.push({ name: String(name), value: frame["value"] });
  if (type === "result") rehearsed.result = frame["result_content"] ?? null;
  if (type === "interrupt") rehearsed.question = frame["message"] ?? null;
  if (type === "error")
    rehearsed.error = {
      code: String(frame["code"]),
      type: String(frame["error_type"]),
      message: String(frame["message"]),
    };
  if (type === "step.end" && frame["kind"] === "step" && frame["retry_in_ms"] === undefined)
    rehearsed.steps.push({
      key: String(key),
      name: String(name),
      tries: Number(frame["try"]),
      ok: frame["ok"] === true,
    });
}

const textOf = (content: unknown): string => (typeof content === "string" ? content : JSON.stringify(content));
