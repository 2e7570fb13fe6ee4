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

export type InTurn = <T>(key: string, act: () => Promise<T>) => Promise<T>;

/** The same for each key by itself. */
export function createInTurn(): InTurn {
  const queues = new Map<string, { oneByOne: OneByOne; waiting: number }>();
  return (key, act) => {
    const queue = queues.get(key) ?? { oneByOne: createOneByOne(), waiting: 0 };
    queues.set(key, queue);
    queue.waiting += 1;
    return queue.oneByOne(act).finally(() => {
      queue.waiting -= 1;
      if (queue.waiting === 0) queues.delete(key);
    });
  };
}
