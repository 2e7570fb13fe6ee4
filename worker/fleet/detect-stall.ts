import { type Loop, startLoop } from "../../shared/platform/lifecycle/start-loop.ts";
import { doesRunWait } from "../../shared/store/runs/does-run-wait.ts";
import type { WorkerContext } from "../context.ts";
import { nudgePatienceMs, type RunTaker } from "./take-runs.ts";

/** How a worker ends that found itself deaf: as EX_TEMPFAIL of sysexits.h, for its supervisor to start it again. */
export const deafExitCode = 75;

/** Time enough for two polls. */
const lookEveryMs = nudgePatienceMs;

/** What a worker sees of itself at a look. Times are performance.now(). */
export type Look = {
  /** Of the look before this one. */
  before: number;
  /** It has a free slot, and there is a run for it. */
  runWaits: boolean;
  /** Its poll came to an end, and it tried to claim a run, last at. */
  polledAt: number;
  triedAt: number;
};

/** How many looks in a row were in vain: a run waited, and since the look before the worker didn't look for it or didn't try. */
export const countInVain = (inVain: number, { before, runWaits, polledAt, triedAt }: Look): number =>
  runWaits && Math.min(polledAt, triedAt) < before ? inVain + 1 : 0;

type Watched = { taker: RunTaker; isLeaving: () => boolean; onDeaf: () => void };

/**
 * Notices that this worker takes nothing though it could: for half a minute, with a lease of 10 s. Looks are counted, not seconds,
 * so that neither a frozen process nor a Postgres that is away looks like a deaf one. A slot counts as free until its run
 * is claimed: claims that never end make deaf too.
 */
export function noticeDeafness({ config, log, db, card, outputs }: WorkerContext, watched: Watched): Loop {
  const { slots, leaseMs } = config.worker;
  const inVainToBeDeaf = (nudgePatienceMs + 3 * leaseMs) / lookEveryMs;
  const waiting = { olderThanMs: nudgePatienceMs, adapters: card.adapters };
  let before = performance.now();
  let inVain = 0;
  return startLoop("notice-deafness", lookEveryMs, log, async () => {
    const mayTake = !watched.isLeaving() && outputs.size < slots;
    const runWaits = mayTake && (await doesRunWait(db, waiting).catch(() => false));
    inVain = countInVain(inVain, { before, runWaits, ...watched.taker.lastActs() });
    before = performance.now();
    if (inVain < inVainToBeDeaf) return;
    log.error(
      { looks: inVain, exit_code: deafExitCode },
      "this worker is deaf: runs wait that it doesn't take; it leaves",
    );
    inVain = 0;
    watched.onDeaf();
  });
}
