import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";

/** Does something that keeps an event loop busy, when it is its turn. */
export type TimeSlice = <Result>(act: () => Result | Promise<Result>) => Promise<Result>;

/** After a turn of a sandbox its next one waits as long as that one took, and not longer than this. */
const mostRestMs = 1_000;

/**
 * Returns a function that opens one sandbox's turns. One is begun at a time, of each sandbox in its order, and between two of them
 * everything else of the gateway goes on. A sandbox's next turn begins once the last one is over, and has rested as long. So a sandbox
 * that sends as much as it can has half of the process at most.
 */
export function createTimeSlices(): () => TimeSlice {
  let before: Promise<unknown> = Promise.resolve();
  const inOrder = (begin: () => void): Promise<void> => {
    const begun = before.then(() => nextTurn()).then(begin);
    before = begun.catch(() => undefined);
    return begun;
  };
  return () => {
    let rested: Promise<unknown> = Promise.resolve();
    return <Result>(act: () => Result | Promise<Result>) => {
      let begunAt = performance.now();
      const turn = rested.then(async () => {
        const done: (Result | Promise<Result>)[] = [];
        await inOrder(() => {
          begunAt = performance.now();
          done.push(act());
        });
        return (await done[0]) as Result;
      });
      rested = turn.catch(() => undefined).then(() => sleep(Math.min(performance.now() - begunAt, mostRestMs)));
      return turn;
    };
  };
}

/** Does something with the next piece of an answer. */
export type PieceRunner = (act: () => void) => void;

/** A piece that takes longer, in ms, makes the next one wait for its turn. */
const dearMs = 4;

/** Returns what does one answer's work at once, and in the sandbox's turns while that takes long. */
export function createPieceRunner(turn: TimeSlice): PieceRunner {
  let isDear = false;
  const timed = (act: () => void): void => {
    const startedAt = performance.now();
    act();
    isDear = performance.now() - startedAt > dearMs;
  };
  return (act) => {
    if (isDear) void turn(() => timed(act));
    else timed(act);
  };
}
