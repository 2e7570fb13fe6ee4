import { defaultMaxAttempts } from "../../shared/domain/run/run-limits.ts";
import type { RunError } from "../../shared/schemas/run-event.ts";

/** The processes in a row whose program never asked for a message. */
type Unread = { unreadEnds: number };
/** The processes in a row whose code could not be loaded, and what the last one said of it. */
type Unloaded = { loadFaults: number; loadFault: string | null };

/**
 * Returns the error of a message to a daemon whose program has again and again ended without asking for one, or could not be
 * loaded; else null.
 */
export function refusalOf({ unreadEnds, loadFaults, loadFault }: Unread & Unloaded): RunError | null {
  if (loadFaults >= defaultMaxAttempts) return notLoaded(loadFault);
  return unreadEnds < defaultMaxAttempts ? null : takesNoMessages;
}

/** `said`: a traceback. */
function notLoaded(said: string | null): RunError {
  const message = `The daemon's code can't be loaded${said === null ? "; its log says more" : `: ${errorLineOf(said)}`}`;
  return { code: "agent_error", type: "DaemonNotLoaded", message, traceback: said };
}

/** Returns the line of a traceback that names the error: in Python the last one, in Node the first; the others are indented. */
export const errorLineOf = (traceback: string): string =>
  traceback
    .split("\n")
    .filter((line) => /^\S/.test(line))
    .at(-1) ?? "";

/** Returns the error of a message that was lost once too often because the last process never asked for it; else null. */
export const unreadErrorOf = ({ unreadEnds }: Unread): RunError | null => (unreadEnds > 0 ? takesNoMessages : null);

const takesNoMessages: RunError = {
  code: "bad_entrypoint",
  type: "BadEntrypoint",
  message:
    "The agent takes no messages: its program ends without asking for one. Define on_message, or read context.messages() in main; or run the agent with another lifecycle.",
  traceback: null,
};
