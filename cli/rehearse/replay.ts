import { type AgentProcess, type Frame, type Program, startAgent } from "./agent-process.ts";
import { requestOf } from "./request.ts";

/** What a run's journal has kept of a call, as `GET /v1/runs/{run_id}/journal` shows it. */
export type Recorded = {
  key: string;
  kind: string;
  name: string;
  branch: string;
  position: number;
  result: string | null;
  error: unknown;
  signal: string | null;
  [field: string]: unknown;
};

export type Recording = { input: unknown; answers: unknown[]; leg?: string; entries: readonly Recorded[] };

export type Verdict =
  /** `calls`: how many were replayed. `next`: what the code would do now; null: it ends, or waits. */
  | { kind: "same"; calls: number; next: { name: string; at: string | null } | null; notes: string[] }
  /** `name`: of the first recorded call that differs. `at`: where in the code. */
  | { kind: "differs"; name: string; at: string | null; message: string; notes: string[] }
  /** The code failed before it came to all recorded calls. */
  | { kind: "failed"; message: string };

type Placed = { key: string; name: string; at: string | null };

/**
 * Replays a recorded run over code that has changed. No step is done: its result is the recorded one, and the replay ends
 * where the recording does.
 */
export async function replay(program: Program, { input, answers, leg = "", entries }: Recording): Promise<Verdict> {
  const kept = entries.map((entry) => Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null)));
  const agent = startAgent(
    program,
    requestOf({ input, answers, leg, entries: kept, rehearsal: { only_recorded: true } }),
  );
  try {
    return judge(entries, await watch(agent), agent.stderr());
  } finally {
    await agent.stop();
  }
}

/** `held`: steps that are not recorded. `ending`: how the code ended, if it did. */
type Seen = { placed: Placed[]; held: Placed[]; notes: string[]; ending: Frame | null };

/** Hears the code until the recording is over: it ends, or asks for nothing more. */
async function watch({ frames }: AgentProcess): Promise<Seen> {
  const seen: Seen = { placed: [], held: [], notes: [], ending: null };
  for await (const frame of frames) {
    if (frame === null || frame.type === "idle") break;
    const { type, message } = frame;
    if (type === "call.placed") seen.placed.push(placedOf(frame));
    if (type === "step.held") seen.held.push(...seen.placed.filter(({ key }) => key === frame["key"]));
    if (type === "log" && / other arguments /.test(String(message))) seen.notes.push(String(message));
    if (!endings.has(type)) continue;
    seen.ending = frame;
    break;
  }
  return seen;
}

const endings = new Set(["result", "error", "interrupt", "continue"]);

const placedOf = ({ key, name, at }: Frame): Placed => ({
  key: String(key),
  name: String(name),
  at: typeof at === "string" ? at : null,
});

function judge(entries: readonly Recorded[], seen: Seen, stderr: string): Verdict {
  const { placed, held, notes, ending } = seen;
  const asked = new Set(placed.map(({ key }) => key));
  const missed = entries.find(({ key, kind }) => !asked.has(key) && kind !== "abandoned");
  if (!missed) return { kind: "same", calls: entries.length, next: held[0] ?? null, notes };
  if (ending?.type === "error" && ending["code"] !== "nondeterminism")
    return { kind: "failed", message: `${String(ending["error_type"])}: ${String(ending["message"])}` };
  if (placed.length === 0 && ending === null) return { kind: "failed", message: stderr.trim() || "It did nothing." };
  return { kind: "differs", name: missed.name, notes, ...whereItDiffers(entries, placed, missed) };
}

function whereItDiffers(entries: readonly Recorded[], placed: readonly Placed[], missed: Recorded) {
  const known = new Set(entries.map(({ key }) => key));
  const other = placed.find(({ key }) => !known.has(key));
  const last = placed.findLast(({ key }) => known.has(key));
  const behind = last ? ` after '${last.name}'` : "";
  const is = other ? `calls '${other.name}'` : `doesn't call it${behind}`;
  const message = `The recorded run called '${missed.name}' here (its key: ${missed.key}). The code ${is}.`;
  return { at: (other ?? last)?.at ?? null, message };
}
