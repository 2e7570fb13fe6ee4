import { z } from "zod";

/** What a run's row must hold for its agent to be played. Nothing but a fault of ours or somebody's own SQL makes it otherwise. */
const storedRun = z.object({
  input_payload: z.record(z.string(), z.unknown()),
  history: z.array(z.unknown()),
  answers: z.array(z.unknown()),
  state_snapshot: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()),
  agent_secrets: z.record(z.string(), z.string()),
  thread_state: z.string().nullable(),
  thread_messages: z.array(z.unknown()),
});

/** What a run's sealed columns hold. */
const texts = z.record(z.string(), z.string());

/** A run that can't be read, here or by any other worker. `message` names the column. */
export class UnreadableRun extends Error {
  override name = "UnreadableRun";
}

/** Throws UnreadableRun when a column isn't what it should be. */
export function checkStored(run: z.input<typeof storedRun>): void {
  const parsed = storedRun.safeParse(run);
  if (!parsed.success)
    throw new UnreadableRun(`its ${parsed.error.issues[0]?.path.join(".") ?? "row"} is not what it should be`);
}

/** The names and texts of a sealed column, opened. Throws UnreadableRun. */
export function readTexts(json: string, column: string): Record<string, string> {
  try {
    return texts.parse(JSON.parse(json));
  } catch {
    throw new UnreadableRun(`its ${column} are not what they should be`);
  }
}
