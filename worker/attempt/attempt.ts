import type { BuildOutput } from "../../shared/schemas/build.ts";
import type { AgentConfig } from "../../shared/schemas/agent-config.ts";
import type { ClaimedRun } from "../../shared/store/runs/queue/claimed-run.ts";

/** A claimed run with its version's config: all that an attempt is made of. Secrets are still sealed. */
export type Attempt = ClaimedRun & VersionConfig;

/**
 * `config_hash`: differs whenever the config or its build differs. `output`: what the build made; null without a build.
 * `lock`: the Python packages exactly; null where no build locked them. `build_error`: why the build failed.
 */
export type VersionConfig = {
  config: AgentConfig;
  config_hash: string;
  output: BuildOutput | null;
  lock: string | null;
  build_error: string | null;
};
