import { hash } from "node:crypto";
import { readConfig } from "../../shared/schemas/agent-config.ts";
import { readVersionConfig } from "../../shared/store/agents/read-version-config.ts";
import type { Db } from "../../shared/store/client.ts";
import type { ClaimedRun } from "../../shared/store/runs/claim-run.ts";
import type { VersionConfig } from "../attempt/attempt.ts";

/** Characters of JSON, in all. */
const mostRemembered = 32 * 1024 * 1024;

/** Configs of versions, remembered: they hold the agents' code, and no warm run has to read that again. */
export type ConfigView = {
  /** What a run's version says, as it is while its agent has the revision that it had when the run was claimed. */
  configOf(run: Pick<ClaimedRun, "agent_id" | "version" | "agent_revision">): Promise<VersionConfig>;
};

type Known = { revision: string; version: VersionConfig; length: number };

export function createConfigView(db: Db): ConfigView {
  /** Least recently used first. */
  const known = new Map<string, Known>();
  let held = 0;

  function forget(key: string): void {
    held -= known.get(key)?.length ?? 0;
    known.delete(key);
  }

  function remember(key: string, one: Known): void {
    forget(key);
    known.set(key, one);
    held += one.length;
    for (const oldest of known.keys()) {
      if (held <= mostRemembered) break;
      forget(oldest);
    }
  }

  return {
    async configOf({ agent_id, version: name, agent_revision }) {
      const key = JSON.stringify([agent_id, name]);
      const one = known.get(key);
      if (one && one.revision === agent_revision) {
        remember(key, one);
        return one.version;
      }
      const found = await readVersionConfig(db, agent_id, name);
      // An agent that is gone says nothing.
      const text = JSON.stringify(found?.config ?? {});
      const version = { config: readConfig(found?.config ?? {}), config_hash: hash("sha256", text) };
      if (found) remember(key, { version, revision: found.revision, length: text.length });
      return version;
    },
  };
}
