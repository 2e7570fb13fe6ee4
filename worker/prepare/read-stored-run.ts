import { z } from "zod";

/** What a run's row must hold for its agent to run. Only a fault of Runfleet's or an operator's own SQL breaks it. */
const storedRun = z.object({
  input_payload: z.record(z.string(), z.unknown()),
  history: z.array(z.unknown()),
  answers: z.array(z.unknown()),
  state_snapshot: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()),
  agent_secrets: z.record(z.string(), z.string()),
  thread_state: z.string().nullable(),
  thread_messages: z.array(z.object({ role: z.string(), content: z.unknown(), said: z.string().nullable() })),
});

/** The plaintext of a run's sealed columns. */
const texts = z.record(z.string(), z.string());

/** A run that no worker can read. `message` names the column. */
export class UnreadableRun extends Error {
  override name = "UnreadableRun";
}

/** Throws UnreadableRun for a malformed column. */
export function checkStoredRun(run: z.input<typeof storedRun>): void {
  const parsed = storedRun.safeParse(run);
  if (!parsed.success) throw new UnreadableRun(`its ${parsed.error.issues[0]?.path.join(".") ?? "row"} is malformed`);
}

/** Returns the names and values of an opened column. Throws UnreadableRun. */
export function readTexts(json: string, column: string): Record<string, string> {
  try {
    return texts.parse(JSON.parse(json));
  } catch {
    throw new UnreadableRun(`its ${column} are malformed`);
  }
}
