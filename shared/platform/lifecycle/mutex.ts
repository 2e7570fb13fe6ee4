/** Holds the mutex of this name while `act` runs. */
export type WithMutex = <T>(name: string, act: () => Promise<T>) => Promise<T>;

/** Makes mutexes of this process by their names. Who waits for one gets it in order; an act that fails releases it. */
export function createMutexes(): WithMutex {
  const mutexes = new Map<string, { last: Promise<unknown>; waiting: number }>();
  return (name, act) => {
    const mutex = mutexes.get(name) ?? { last: Promise.resolve(), waiting: 0 };
    mutexes.set(name, mutex);
    mutex.waiting += 1;
    const result = mutex.last.then(act).finally(() => {
      mutex.waiting -= 1;
      if (mutex.waiting === 0) mutexes.delete(name);
    });
    mutex.last = result.catch(() => undefined);
    return result;
  };
}
