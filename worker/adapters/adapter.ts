import type { GatewayCalls } from "../gateway/egress.ts";
import type { Frame } from "../channel/frame-schema.ts";
import type { KeptForAgent } from "../journal/read-replay-state.ts";

/** What one execution may use, in bytes and milliseconds. */
export type RunResources = {
  timeout_ms: number;
  cpu_ms: number;
  memory_bytes: number;
  processes: number;
  disk_bytes: number;
};

/** What an agent's process is told. `env` and `files` are in clear here and nowhere else. */
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
  /** What is run by adapters that run no source. */
  command: string[] | null;
  url: string | null;
  image: string | null;
  /** How a command's stdout is read: as text, or each line as a frame. */
  output: "text" | "ndjson";
  /** Of the version's config. An agent that was deleted and created again may have the same version with another config. */
  config_hash: string;
  /** The version's code: relative path → text or data URL. */
  code: Record<string, string>;
  /** The run's own files, laid over the code in its working directory. */
  files: Record<string, string>;
  /** Packages that the code needs, as PEP 508 names them. */
  requirements: string[];
  /** Which packages exactly, as the version's build locked them; null: what the requirements resolve to. */
  lock: string | null;
  input_payload: Record<string, unknown>;
  history: unknown[];
  /** The answers to the run's interrupts, in the order of the questions. */
  answers: unknown[];
  state_snapshot: string;
  metadata: Record<string, unknown>;
  env: Record<string, string>;
  /** The part of `env` that is the version's own: the same for each of its runs. */
  version_env: Record<string, string>;
  resources: RunResources;
  /** The hosts that the agent may reach; null for no network. */
  egress: string[] | null;
  /**
   * The run's calls to its connections, whose secrets they hold; absent: it has none. A function, so that no JSON that goes to
   * the agent can hold it.
   */
  calls?: () => GatewayCalls;
  /** What the run's earlier attempts have kept; absent: nothing. */
  journal?: KeptForAgent;
  /** Where the graph of an earlier attempt was; absent: there is nothing to go on from. */
  checkpoints?: string[];
  /** How long the agent may take to end after it was asked to. */
  stop_grace_ms: number;
  /** How long an `interactive` process stays without a run. */
  idle_timeout_ms: number;
};

/** The way from the worker to an agent's process while it runs. `write` is null where the adapter has none. */
export type Replies = { write: ((line: string) => void) | null };

/**
 * Runs an agent. Aborting `signal` ends the whole process tree, for some reasons after the agent was asked to end; the iteration
 * still ends with an `exit` frame.
 */
export interface Adapter {
  run(request: AgentRequest, signal: AbortSignal, replies?: Replies): AsyncIterable<Frame>;
}
