import type { AgentConfig } from "../../shared/schemas/agent-config.ts";
import type { ClaimedRun } from "../../shared/store/runs/claim-run.ts";

/** A claimed run with its version's config: all that an attempt is made of. Secrets are still sealed. */
export type Attempt = ClaimedRun & VersionConfig;

/** `config_hash`: differs whenever the config differs. */
export type VersionConfig = { config: AgentConfig; config_hash: string };
