import { defaultMaxAttempts } from "../../shared/domain/run/limits.ts";
import type { RunError } from "../../shared/schemas/run-event.ts";

/** The processes in a row whose program never asked for a message. */
type Unread = { unreadEnds: number };

/** Returns the error of a message to a daemon whose program has again and again ended without asking for one; else null. */
export const refusalOf = ({ unreadEnds }: Unread): RunError | null =>
  unreadEnds < defaultMaxAttempts ? null : takesNoMessages;

/** Returns the error of a message that was lost once too often because the last process never asked for it; else null. */
export const unreadErrorOf = ({ unreadEnds }: Unread): RunError | null => (unreadEnds > 0 ? takesNoMessages : null);

const takesNoMessages: RunError = {
  code: "bad_entrypoint",
  type: "BadEntrypoint",
  message:
    "The agent takes no messages: its program ends without asking for one. Define on_message, or read context.messages() in main; or run the agent with another lifecycle.",
  traceback: null,
};
