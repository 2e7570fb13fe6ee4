import { whenAnswering } from "./connection.ts";

const parts: (() => Promise<unknown>)[] = [];

/** Returns what loads a part of the console, for `lazyRouteComponent`. A part that fails to load waits until the service answers. */
export function partOf<Module>(load: () => Promise<Module>): () => Promise<Module> {
  parts.push(load);
  return () =>
    load().catch(async (error: unknown) => {
      await whenAnswering();
      // Browsers don't ask again for a module that failed. For an error that begins so, the router loads the document anew, once.
      throw new Error(`Failed to fetch dynamically imported module: ${String(error)}`);
    });
}

/** Loads the parts that nobody has opened yet: a service that is away, or was replaced by another version, can't give them. */
export async function loadAllParts(): Promise<void> {
  for (const load of parts)
    try {
      await load();
    } catch {
      return;
    }
}
