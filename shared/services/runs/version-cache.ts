import { type MissingVersion, type ResolvedVersion, resolveVersion } from "../../store/agents/resolve-version.ts";
import type { Db } from "../../store/client.ts";
import type { Owner } from "../../store/owned-by.ts";
import { AgentChanged } from "../../store/runs/queue/insert-run.ts";

const maxEntries = 1_000;
/** In characters of JSON, without the code. A larger config is not cached. */
const maxConfigLength = 16 * 1024;

/** `cached`: the version may be outdated, and its config lacks the code. It is current while its agent has the same revision. */
export type CachedVersion = ResolvedVersion & { cached: boolean };

export type ResolveVersion = (
  agentId: string,
  version: string,
  owner: Owner,
) => Promise<CachedVersion | MissingVersion>;

export type VersionCache = {
  /** Returns the cached version, if there is one. */
  resolve: ResolveVersion;
  /** Always reads Postgres. */
  resolveUncached: ResolveVersion;
};

/**
 * Caches the versions that execute requests name, so that accepting a run needs no query for its agent. Who uses a cached
 * version must let Postgres check its revision in the statement that acts on it, and resolve again when it differs.
 */
export function createVersionCache(db: Db): VersionCache {
  const entries = new Map<string, ResolvedVersion>();
  const keyOf = (...args: [string, string, Owner]): string => JSON.stringify(args);

  function insert(key: string, version: ResolvedVersion): void {
    const { source: _source, files: _files, ...config } = version.config;
    if (JSON.stringify(config).length > maxConfigLength) return;
    const [oldest] = entries.keys();
    if (entries.size >= maxEntries && oldest !== undefined) entries.delete(oldest);
    entries.set(key, { ...version, config });
  }

  const resolveUncached: ResolveVersion = async (...args) => {
    const key = keyOf(...args);
    entries.delete(key);
    const found = await resolveVersion(db, ...args);
    if ("missing" in found) return found;
    insert(key, found);
    return { ...found, cached: false };
  };

  return {
    resolveUncached,
    async resolve(...args) {
      const known = entries.get(keyOf(...args));
      return known ? { ...known, cached: true } : resolveUncached(...args);
    },
  };
}

/** Accepts a run with cached versions, and once more without the cache when its agent has changed meanwhile. */
export async function retryWhenAgentChanged<T>(
  { resolve, resolveUncached }: VersionCache,
  accept: (resolve: ResolveVersion) => Promise<T>,
): Promise<T> {
  try {
    return await accept(resolve);
  } catch (error) {
    if (!(error instanceof AgentChanged)) throw error;
    return accept(resolveUncached);
  }
}
