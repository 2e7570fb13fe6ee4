import { type EventId, parseEventId } from "./event-id.ts";
import type { RunEvent } from "./generated/types.ts";
import type { EventOf } from "./run-types.ts";

/**
 * What a run has said, as it stands. A run that starts again, and a step that is tried again, make some of their earlier events
 * void: `run.started` says so by `discards`, or by `keeps` and `voids`, and `step.retrying` by `voids`.
 */
export class Transcript {
  #events: RunEvent[] = [];

  /** Takes the next event. Returns true when it has made earlier ones void. */
  push(event: RunEvent): boolean {
    const isVoid = voidedBy(event);
    const standing = isVoid ? this.#events.filter((earlier) => !isVoid(earlier)) : this.#events;
    const hasWithdrawn = standing.length < this.#events.length;
    this.#events = standing;
    standing.push(event);
    return hasWithdrawn;
  }

  /** The events that stand, in order. */
  get events(): readonly RunEvent[] {
    return this.#events;
  }

  /** The text that stands. */
  get text(): string {
    return this.#events
      .map((event) => (event.type === "output.delta" ? (spokenText(event.content) ?? "") : ""))
      .join("");
  }
}

/** Returns which of the events before it this one makes void. Null: none. */
export function voidedBy(event: RunEvent): ((earlier: EventId & { type: string }) => boolean) | null {
  if (event.type === "run.started") return withdrawal(event);
  return event.type === "step.retrying" ? withdrawal({ voids: event.voids }) : null;
}

type Withdrawal = Pick<EventOf<"run.started">, "discards" | "keeps" | "voids">;

function withdrawal({
  discards,
  keeps,
  voids = [],
}: Withdrawal): ((earlier: EventId & { type: string }) => boolean) | null {
  // What the run said of its own way isn't output.
  const isOutput = ({ type }: { type: string }): boolean => !type.startsWith("run.");
  if (discards !== undefined) return isOutput;
  const last = parseEventId(keeps);
  if (!last && voids.length === 0) return null;
  const ranges = voids.map(([from, to]) => [parseEventId(from), parseEventId(to)] as const);
  return (earlier) => {
    if (!isOutput(earlier)) return false;
    if (last && earlier.attempt === last.attempt && earlier.seq > last.seq) return true;
    return ranges.some(
      ([from, to]) =>
        from?.attempt === earlier.attempt && to !== null && from.seq <= earlier.seq && earlier.seq <= to.seq,
    );
  };
}

/** Returns the text of an output: a scalar as text, LangChain's content blocks joined. Null: the output is data, not text. */
export function spokenText(content: unknown): string | null {
  if (typeof content === "string") return content;
  if (typeof content === "number" || typeof content === "boolean") return String(content);
  if (!Array.isArray(content) || content.length === 0) return null;
  const texts = content.map((block: unknown) => textOfBlock(block));
  return texts.includes(null) ? null : texts.join("");
}

function textOfBlock(block: unknown): string | null {
  if (typeof block !== "object" || block === null || !("type" in block) || !("text" in block)) return null;
  return block.type === "text" && typeof block.text === "string" ? block.text : null;
}
