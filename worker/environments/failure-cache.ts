const rememberMs = 30_000;
const most = 1_000;

/** Remembers failed installs for half a minute, so that an agent that runs again and again doesn't install each time. */
export function createFailureCache(now: () => number = () => performance.now()) {
  const failures = new Map<string, { fault: string; at: number }>();
  return {
    add(key: string, fault: string): void {
      failures.delete(key);
      failures.set(key, { fault, at: now() });
      const [oldest] = failures.keys();
      if (failures.size > most && oldest !== undefined) failures.delete(oldest);
    },
    /** Returns the fault, and when the install will be tried again; null when there is none. */
    find(key: string): string | null {
      const found = failures.get(key);
      const left = found ? rememberMs - (now() - found.at) : 0;
      if (found && left > 0)
        return `${found.fault}\n(It failed a moment ago. It will be tried again in ${Math.ceil(left / 1000)} s.)`;
      failures.delete(key);
      return null;
    },
  };
}
