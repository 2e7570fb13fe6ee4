export type OneByOne = <T>(act: () => Promise<T>) => Promise<T>;

/** Runs acts one by one, in order. Each starts when the one before has ended or failed. */
export function createOneByOne(): OneByOne {
  let last: Promise<unknown> = Promise.resolve();
  return (act) => {
    const result = last.then(act);
    last = result.catch(() => undefined);
    return result;
  };
}

export type InTurn = <T>(key: string, act: () => Promise<T>) => Promise<T>;

/** Runs the acts of each key one by one. Acts of different keys run at the same time. */
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
