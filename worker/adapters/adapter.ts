import type { Frame } from "../channel/frame-schema.ts";

/** What one execution may use; bytes and milliseconds. */
export type RunResources = {
  timeout_ms: number;
  cpu_ms: number;
  memory_bytes: number;
  processes: number;
  disk_bytes: number;
};

/** All that an agent's process gets to know. `env` and `files` are in clear here and nowhere after. */
export type AgentRequest = {
  run_id: string;
  attempt: number;
  user_id: string;
  agent_id: string;
  version: string;
  thread_id: string | null;
  runtime_mode: string;
  lifecycle: string;
  /** `file.py` or `file.py:name`; null when neither config nor files name any code. */
  entrypoint: string | null;
  /** What runs, for the adapters that run no source. */
  command: string[] | null;
  url: string | null;
  image: string | null;
  /** How a command's stdout is read: as text, or each line as a frame. */
  output: "text" | "ndjson";
  /** Of the version's config. An agent that is made anew may have a version of the same name with another one. */
  config_hash: string;
  /** The agent version's own code: relative path → text or data URL. */
  code: Record<string, string>;
  /** The run's own files, laid over the code in its working directory. */
  files: Record<string, string>;
  /** Packages that the code needs, as PEP 508 names them. */
  requirements: string[];
  input_payload: Record<string, unknown>;
  history: unknown[];
  /** What people answered when the agent asked them, in the order of asking. */
  answers: unknown[];
  state_snapshot: string;
  metadata: Record<string, unknown>;
  env: Record<string, string>;
  /** The part of `env` that is the version's own: the same for each of its runs. */
  version_env: Record<string, string>;
  resources: RunResources;
  /** What it may reach; null: no network. */
  egress: string[] | null;
  /** How long an `interactive` process stays when its thread says nothing. */
  idle_timeout_ms: number;
};

/** Runs an agent. Aborting `signal` ends the whole process tree; the iteration still ends with its `exit` frame. */
export interface Adapter {
  run(request: AgentRequest, signal: AbortSignal): AsyncIterable<Frame>;
}
