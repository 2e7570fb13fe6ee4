import type { Run, RunErrorEvent, RunEvent, RunInterruptedEvent } from "./generated/types.ts";

export type RunStatus = Run["status"];
export type RunError = NonNullable<RunErrorEvent["error"]>;
export type OpenInterrupt = RunInterruptedEvent["interrupts"][number];
/** The events of a type: `EventOf<"tool.start">`. */
export type EventOf<T extends RunEvent["type"]> = Extract<RunEvent, { type: T }>;
/** The last event of a run. */
export type EndEvent = EventOf<"run.success" | "run.error" | "run.timeout" | "run.cancelled" | "run.expired">;

const ends = new Set<string>(["run.success", "run.error", "run.timeout", "run.cancelled", "run.expired"]);

/** True when no event of the run follows. */
export const isEnd = (event: { type: string }): event is EndEvent => ends.has(event.type);

/** True for the status of a run that has ended. */
export const isEndStatus = (status: RunStatus): boolean => ends.has(`run.${status}`);
