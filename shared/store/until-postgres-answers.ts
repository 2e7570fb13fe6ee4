import { setTimeout as sleep } from "node:timers/promises";
import { isDependencyFault } from "./is-dependency-fault.ts";

/**
 * Repeats a statement that may be repeated until Postgres answers it, every 200 ms. For what must not be given up: while
 * Postgres is away nobody else can decide either, and when it is back the statement's own fence tells whether we still may.
 * Any other error is thrown, such as that of a sealed value which no key opens: no time mends it.
 */
export async function untilPostgresAnswers<T>(statement: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await statement();
    } catch (error) {
      if (!isDependencyFault(error)) throw error;
      await sleep(200);
    }
  }
}
