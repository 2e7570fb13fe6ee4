import { setTimeout as sleep } from "node:timers/promises";
import type { JsonSchemas, Unchecked } from "./json-schemas.ts";

/** The pauses before a check is asked for again. */
const pausesMs = [500, 2_000, 8_000];

type Checks = Pick<JsonSchemas, "faultsOf" | "schemaFault">;

/**
 * Returns checks that are asked for again when there was no time for them. For what a run's agent has made: nobody could send
 * it again.
 */
export const checkPatiently = (schemas: Checks): Checks => ({
  faultsOf: (...asked) => again(() => schemas.faultsOf(...asked)),
  schemaFault: (...asked) => again(() => schemas.schemaFault(...asked)),
});

async function again<Answer extends object | string | null>(ask: () => Promise<Answer>): Promise<Answer> {
  for (const pauseMs of pausesMs) {
    const answer = await ask();
    if (!isUnchecked(answer)) return answer;
    await sleep(pauseMs);
  }
  return ask();
}

/** True when there was no time for a check. */
export const isUnchecked = (answer: object | string | null): answer is Unchecked =>
  typeof answer === "object" && answer !== null && "unchecked" in answer;
