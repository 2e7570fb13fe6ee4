import { errorText } from "../../platform/error-text.ts";
import type { Log } from "../../platform/log.ts";

/**
 * Does `act` for each run, one after the other. A run for which `act` fails is logged, and keeps no other run from its turn. Returns for
 * how many runs `act` returned true.
 */
export async function tryEach<R extends { id: string }>(
  log: Pick<Log, "error">,
  runs: readonly R[],
  act: (run: R) => Promise<boolean>,
): Promise<number> {
  let done = 0;
  for (const run of runs)
    try {
      if (await act(run)) done += 1;
    } catch (error) {
      log.error({ run_id: run.id, err: errorText(error) }, "a run could not be maintained");
    }
  return done;
}
