import { setTimeout as sleep } from "node:timers/promises";
import type { JsonSchemas, Unchecked } from "./json-schemas.ts";

/** The pauses before a check is asked for again. */
const pausesMs = [500, 2_000, 8_000];

type Checks = Pick<JsonSchemas, "faultsOf" | "schemaFault">;

/**
 * Returns checks that are asked for again when there was no time for them, until `signal`. For what a run's agent has made: nobody could
 * send it again.
 */
export const checkPatiently = (schemas: Checks, signal?: AbortSignal): Checks => ({
  faultsOf: (owner, schema, value) => again(signal, (isRepeat) => schemas.faultsOf(owner, schema, value, isRepeat)),
  schemaFault: (owner, schema) => again(signal, (isRepeat) => schemas.schemaFault(owner, schema, isRepeat)),
});

async function again<Answer extends object | string | null>(
  signal: AbortSignal | undefined,
  ask: (isRepeat: boolean) => Promise<Answer>,
): Promise<Answer> {
  let answer = await ask(false);
  for (const pauseMs of pausesMs) {
    if (!isUnchecked(answer) || !answer.mayPass || signal?.aborted) return answer;
    await sleep(pauseMs, undefined, signal && { signal }).catch(() => undefined);
    answer = await ask(true);
  }
  return answer;
}

/** True when there was no time for a check. */
export const isUnchecked = (answer: object | string | null): answer is Unchecked =>
  typeof answer === "object" && answer !== null && "unchecked" in answer;
