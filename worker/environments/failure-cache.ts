import type { InstallFault } from "./share-install.ts";

const rememberMs = 30_000;
const most = 1_000;

/** Remembers failed installs for half a minute, so that an agent that runs again and again doesn't install each time. */
export function createFailureCache(now: () => number = () => performance.now()) {
  const failures = new Map<string, InstallFault & { at: number }>();
  return {
    add(key: string, { fault, ofWorker }: InstallFault): void {
      failures.delete(key);
      failures.set(key, { fault, ...(ofWorker && { ofWorker }), at: now() });
      const [oldest] = failures.keys();
      if (failures.size > most && oldest !== undefined) failures.delete(oldest);
    },
    /** Returns the fault, and when the install will be tried again; null when there is none. */
    find(key: string): InstallFault | null {
      const found = failures.get(key);
      const left = found ? rememberMs - (now() - found.at) : 0;
      if (found && left > 0) {
        const { at: _, ...failed } = found;
        const again = `(It failed a moment ago. It will be tried again in ${Math.ceil(left / 1000)} s.)`;
        return { ...failed, fault: `${failed.fault}\n${again}` };
      }
      failures.delete(key);
      return null;
    },
  };
}
