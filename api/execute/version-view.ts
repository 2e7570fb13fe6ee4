import {
  type MissingVersion,
  type ResolvedVersion,
  resolveVersion,
} from "../../shared/store/agents/resolve-version.ts";
import type { Db } from "../../shared/store/client.ts";
import type { Owner } from "../../shared/store/owned-by.ts";
import { AgentChanged } from "../../shared/store/runs/insert-run.ts";

const mostRemembered = 1_000;
/** A config that is longer than this without its code, as JSON, is read each time. */
const longestRemembered = 16 * 1024;

/** `remembered`: it may be outdated; while its revision is its agent's, it is not. Its config is without its code then. */
export type ViewedVersion = ResolvedVersion & { remembered: boolean };

export type ResolveVersion = (
  agentId: string,
  version: string,
  owner: Owner,
) => Promise<ViewedVersion | MissingVersion>;

export type VersionView = {
  /** By what is remembered, if anything is. */
  resolve: ResolveVersion;
  /** By what holds now. */
  resolveAnew: ResolveVersion;
};

/**
 * What requests for runs name, remembered: a run costs no look at its agent. Whoever uses it lets Postgres check the
 * revision in the statement that acts on it, and resolves anew when that is another one.
 */
export function createVersionView(db: Db): VersionView {
  const known = new Map<string, ResolvedVersion>();
  const keyOf = (...asked: [string, string, Owner]): string => JSON.stringify(asked);

  function remember(key: string, version: ResolvedVersion): void {
    const { source: _source, files: _files, ...config } = version.config;
    if (JSON.stringify(config).length > longestRemembered) return;
    const [oldest] = known.keys();
    if (known.size >= mostRemembered && oldest !== undefined) known.delete(oldest);
    known.set(key, { ...version, config });
  }

  const resolveAnew: ResolveVersion = async (...asked) => {
    const key = keyOf(...asked);
    known.delete(key);
    const found = await resolveVersion(db, ...asked);
    if ("missing" in found) return found;
    remember(key, found);
    return { ...found, remembered: false };
  };

  return {
    resolveAnew,
    async resolve(...asked) {
      const remembered = known.get(keyOf(...asked));
      return remembered ? { ...remembered, remembered: true } : resolveAnew(...asked);
    },
  };
}

/** Accepts a run by what is remembered of its agent, and once more where that doesn't hold any more. */
export async function byWhatHolds<T>(
  { resolve, resolveAnew }: VersionView,
  accept: (resolve: ResolveVersion) => Promise<T>,
): Promise<T> {
  try {
    return await accept(resolve);
  } catch (error) {
    if (!(error instanceof AgentChanged)) throw error;
    return accept(resolveAnew);
  }
}
