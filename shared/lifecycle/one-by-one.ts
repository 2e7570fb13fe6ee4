export type OneByOne = <T>(act: () => Promise<T>) => Promise<T>;

/** Does acts in the order in which they were asked for, each when the one before has ended, however that ended. */
export function createOneByOne(): OneByOne {
  let last: Promise<unknown> = Promise.resolve();
  return (act) => {
    const turn = last.then(act);
    last = turn.catch(() => undefined);
    return turn;
  };
}
