import { whenAnswering } from "./connection.ts";

const parts: (() => Promise<unknown>)[] = [];

/** Returns what loads a part of the console. While the service is away, the part waits for the service. */
export function partOf<Module>(load: () => Promise<Module>): () => Promise<Module> {
  const loadOrWait = (): Promise<Module> =>
    load().catch(async () => {
      await whenAnswering();
      return load();
    });
  parts.push(loadOrWait);
  return loadOrWait;
}

/** Loads the parts that nobody has opened yet: a service that is away, or was replaced by another version, can't give them. */
export async function loadAllParts(): Promise<void> {
  for (const load of parts) await load().catch(() => undefined);
}
