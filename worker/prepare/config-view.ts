import { hash } from "node:crypto";
import { buildOutput } from "../../shared/schemas/build.ts";
import { readConfig } from "../../shared/schemas/agent-config.ts";
import { type ReadConfig, readVersionConfig } from "../../shared/store/agents/read-version-config.ts";
import type { Db } from "../../shared/store/client.ts";
import type { ClaimedRun } from "../../shared/store/runs/queue/claimed-run.ts";
import type { VersionConfig } from "../attempt/attempt.ts";

/** Characters of JSON in all cached configs. */
const capacity = 32 * 1024 * 1024;

/** A cache of versions' configs. They hold the agents' code, which a warm run then need not read again. */
export type ConfigView = {
  /** Returns the config of a run's version. A cached one is used while the agent's revision is that of the claim. */
  configOf(run: Pick<ClaimedRun, "agent_id" | "version" | "agent_revision">): Promise<VersionConfig>;
};

type Cached = { revision: string; version: VersionConfig; length: number };

export function createConfigView(db: Db): ConfigView {
  /** Least recently used first. */
  const cache = new Map<string, Cached>();
  let length = 0;

  function remove(key: string): void {
    length -= cache.get(key)?.length ?? 0;
    cache.delete(key);
  }

  function add(key: string, entry: Cached): void {
    remove(key);
    cache.set(key, entry);
    length += entry.length;
    for (const oldest of cache.keys()) {
      if (length <= capacity) break;
      remove(oldest);
    }
  }

  return {
    async configOf({ agent_id, version: name, agent_revision }) {
      const key = JSON.stringify([agent_id, name]);
      const cached = cache.get(key);
      if (cached && cached.revision === agent_revision) {
        add(key, cached);
        return cached.version;
      }
      const found = await readVersionConfig(db, agent_id, name);
      const { version, length } = toVersion(found ?? gone);
      if (found) add(key, { version, revision: found.revision, length });
      return version;
    },
  };
}

/** A deleted agent has an empty config. */
const gone = { config: {}, output: null, lock: null, build_error: null };

function toVersion({ config, output, lock, build_error }: Omit<ReadConfig, "revision">): {
  version: VersionConfig;
  length: number;
} {
  const text = JSON.stringify([config, output, lock]);
  const made = buildOutput.safeParse(output).data ?? null;
  const version = { config: readConfig(config), config_hash: hash("sha256", text), output: made, lock, build_error };
  return { version, length: text.length };
}
