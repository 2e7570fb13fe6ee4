import { unavailable } from "../../../shared/domain/errors/app-error.ts";
import type { EventId } from "../../../shared/domain/run/event-id.ts";
import { isTerminalEvent } from "../../../shared/domain/run/run-status.ts";
import { followEvents } from "../../stream/follow-events.ts";
import type { FollowDeps } from "../../stream/follow-run.ts";
import type { Tail } from "../../stream/tail.ts";
import { parseEvent } from "./read-task.ts";
import type { StreamMessage } from "./task.ts";
import { isOver } from "./task-state.ts";
import type { TaskTranslation } from "./translate-run.ts";

/** A task whose events after `cursor` are to be translated. */
export type Following = {
  tail: Tail;
  translation: TaskTranslation;
  cursor: EventId;
  /** True when the run was made after the tail began to listen. */
  fresh: boolean;
  /** Aborted when the client is gone. */
  gone: AbortSignal;
};

/**
 * Yields the messages of a task's stream, which ends when the task ends or needs input. Closes the tail. Throws unavailable when
 * this process shuts down before that: a stream that ended in order would be taken for the whole.
 */
export async function* followTask(
  deps: FollowDeps,
  { tail, translation, cursor, fresh, gone }: Following,
): AsyncGenerator<StreamMessage[], void, undefined> {
  const close = (): void => tail.close();
  gone.addEventListener("abort", close, { once: true });
  if (gone.aborted) close();
  let last = "";
  try {
    for await (const events of followEvents(deps, tail, { cursor, fresh })) {
      const messages = events.flatMap((event) => translation.push(parseEvent(event)));
      last = events.at(-1)?.type ?? last;
      if (messages.length > 0) yield messages;
    }
  } finally {
    gone.removeEventListener("abort", close);
    close();
  }
  // A task that had ended before `cursor` has no more events.
  const isWhole = isTerminalEvent(last) || last === "run.interrupted" || isOver(translation.task().status.state);
  if (!isWhole && !gone.aborted) throw unavailable("leaving", "This process is shutting down. Ask for the task again.");
}
