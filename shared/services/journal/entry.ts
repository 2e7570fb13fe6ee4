import { createHash } from "node:crypto";
import { z } from "zod";
import { childLimits } from "../../domain/run/child-limits.ts";
import type { KeyRing } from "../../platform/config/load-config.ts";
import { open } from "../../platform/secrets/seal.ts";
import { sealedFields } from "../../platform/secrets/sealed-fields.ts";
import { type RunEventBody, usage } from "../../schemas/run-event.ts";
import type { StoredEntry } from "../../store/journal/read-journal.ts";
import { continuation } from "./continuation.ts";
import { openText, sealText } from "./seal-text.ts";

/** An error of a step, by which the agent's runtime makes it anew. */
const stepError = z.object({ type: z.string().max(200), module: z.string().max(200), message: z.string() });

const range = z.tuple([z.number().int(), z.number().int()]);

const event = z.custom<RunEventBody>((value) => typeof value === "object" && value !== null && "type" in value);

/** What is sealed of an entry. */
const content = z.object({
  key: z.string(),
  name: z.string(),
  branch: z.string(),
  position: z.number().int(),
  /** The keys of some failed calls that its branch had heard of, in Python. */
  after: z.array(z.string()).optional(),
  try: z.number().int(),
  /** A hash of the call's arguments; null where they can't be compared. */
  args: z.string().nullable(),
  ok: z.boolean(),
  /** As the agent's runtime wrote it: the worker never reads it. */
  result: z.string().optional(),
  error: stepError.optional(),
  /** The files that the step named, as the agent's runtime packed them. */
  files: z.string().optional(),
  /** What the step has saved and used. */
  state: z.string().optional(),
  usage: usage.optional(),
  /** When the step is tried again, of a failed try that is not the last. In ms since 1970. */
  retry_at: z.number().optional(),
  /** What the entry settles, see `settle-output.ts`. */
  segments: z.array(z.string()),
  events: z.array(range),
  outputs: z.boolean(),
  /** Which of the events the step itself said, in its last try. */
  own: z.array(range).default([]),
  /** What it said in the run that is run again: it is told when the new run comes to it. */
  said: z.array(event).optional(),
  /** The name of the signal that a copied entry has taken. */
  signal: z.string().optional(),
  /** The run that it has started, or waited for; `code`: of that run's error, or why it was not started. */
  child: z.object({ run_id: z.string().nullable(), status: z.string(), code: z.string().nullable() }).optional(),
  /** What the run has gone on with as a fresh one: see `sealContinuation`. */
  continuation: continuation.optional(),
});
export type EntryContent = z.infer<typeof content>;

/** An entry as it was committed. `stored_key`: its key in the table. */
export type Entry = EntryContent & { kind: string; attempt: number; place: number; stored_key: string };

/** Returns an entry's key in its table. A failed try has one of its own. */
export const storedKey = (key: string, failedTry: number | null): string =>
  createHash("sha256")
    .update(failedTry === null ? key : `${key}~${failedTry}`)
    .digest("hex")
    .slice(0, 32);

export async function sealEntry(
  keyRing: KeyRing,
  at: { run_id: string; stored_key: string },
  entry: EntryContent,
): Promise<Buffer> {
  return sealText(keyRing, JSON.stringify(entry), sealedFields.journalEntry(at.run_id, at.stored_key));
}

/** Throws for an entry that can't be opened or read. */
export async function openEntry(keyRing: KeyRing, run_id: string, stored: StoredEntry): Promise<Entry> {
  const { key: stored_key, place, attempt, kind, sealed_entry } = stored;
  const said = await openContent(keyRing, run_id, { key: stored_key, sealed_entry });
  return { ...said, ...endOf(keyRing, run_id, stored), kind, attempt, place, stored_key };
}

/** Opens an entry, or a wait that is to become one. */
export async function openContent(
  keyRing: KeyRing,
  run_id: string,
  { key, sealed_entry }: Pick<StoredEntry, "key" | "sealed_entry">,
): Promise<EntryContent> {
  const text = await openText(keyRing, sealed_entry, sealedFields.journalEntry(run_id, key));
  return content.parse(JSON.parse(text));
}

/** Returns how a wait ended. The sealed entry itself holds only the result for a timeout. */
function endOf(keyRing: KeyRing, run_id: string, stored: StoredEntry): Partial<Entry> {
  const { kind, input_id, input_name, sealed_payload } = stored;
  if (kind === "late") return { ok: false };
  if (kind === "timer") return { error: undefined, result: "null" };
  // A copied entry says it all itself.
  if (stored.child_id !== null) return endOfChild(stored, stored.child_id);
  if (kind !== "signal" || input_id === null || input_name === null || sealed_payload === null) return {};
  const payload = open(keyRing, sealed_payload, sealedFields.runInput(run_id, input_id));
  return { error: undefined, result: payload.toString("utf8"), signal: input_name };
}

/** What a run that was started has come to, as the run that started it is told. */
function endOfChild(stored: StoredEntry, run_id: string): Partial<Entry> {
  const { kind, child_agent, child_status: status, child_result: result, child_error } = stored;
  if (kind === "started") return { result: JSON.stringify(run_id), child: { run_id, status: "started", code: null } };
  const what = `Run ${run_id} of agent '${child_agent ?? "unknown"}'`;
  const failed = (type: string, message: string, code: string | null): Partial<Entry> => ({
    ok: false,
    error: { type, module: "runfleet", message: message.slice(0, mostMessage) },
    child: { run_id, status: status ?? "deleted", code },
  });
  if (status === null) return failed("ChildFailed", `${what} was deleted.`, null);
  if (status !== "success") {
    const why = child_error === null ? "" : `: ${child_error.code}: ${child_error.message}`;
    return failed("ChildFailed", `${what} ended as ${status}${why}`, child_error?.code ?? null);
  }
  if (result === null)
    return failed("ResultTooLarge", `${what} has a result of more than ${childLimits.result_bytes} bytes.`, null);
  return { result, child: { run_id, status, code: null } };
}

const mostMessage = 8_192;
