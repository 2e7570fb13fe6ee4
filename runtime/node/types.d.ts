/** What the programs of this folder agree on. `unknown` is an agent's own value. */

export type Fields = Record<string, unknown>;

/** A frame of the channel to the worker; worker/channel/frame-schema.ts says which there are. */
export type Frame = Fields & { type: string };

/** Text, or bytes as a `data:` URL, by relative path. */
export type Files = Record<string, string>;

export type RunRequest = {
  run_id: string | null;
  thread_id: string | null;
  input_payload: unknown;
  state_snapshot: string | null;
  files: Files;
  /** A person's answers to the run's questions, in the order in which they were asked. */
  answers: unknown[];
  env: Record<string, string>;
  /** What earlier attempts of a durable run have kept. */
  journal?: KeptForAgent;
  /** Where the graph of an earlier attempt was. */
  checkpoints?: string[];
  [field: string]: unknown;
};

/** An entry of a durable run's journal. `result` is JSON text. */
export type KeptEntry = {
  key: string;
  kind: string;
  name: string;
  branch: string;
  position: number;
  args: string | null;
  ok: boolean;
  result?: string;
  error?: { type: string; module: string; message: string };
  /** The files that the step has made. */
  files?: string;
  /** What the step has reported; it is reported again. */
  state?: string;
  usage?: Record<string, number>;
  /** Of the run that is run again: code that calls something else goes on without it. */
  copied?: true;
  /** The name of the signal that it has taken. */
  signal?: string;
  /** How much time a rehearsal has skipped so far. */
  skipped_ms?: number;
  /** The run that it has started, or waited for. */
  child?: { run_id: string | null; status: string; code: string | null };
};

/** `tries`: of steps that are not done: [key, the next try's number, when it may begin]. */
export type KeptForAgent = {
  entries: KeptEntry[];
  /** Of waits that are open: [branch, position, name]. */
  waits: [string, number, string][];
  tries: [string, number, number][];
  segments: string[];
  count: number;
  /** So many of the entries the code asks for again; left out: all. */
  certain?: number;
  /** The keys of the questions that are answered, as `answers` has them; null: of one that has none. */
  asked?: (string | null)[];
  /** Begins the keys of what is done since the run went on as a fresh one. */
  leg?: string;
};

/** `on`: the classes of errors that are worth a try. */
export type StepOptions = {
  key?: string | number;
  timeout_ms?: number;
  files?: string | string[];
  args?: unknown[];
  retry?: {
    max_attempts?: number;
    delay_ms?: number;
    factor?: number;
    max_delay_ms?: number;
    on?: (new (...args: never[]) => unknown)[];
  };
};

/** `signal`: gives the wait up when it aborts. */
export type WaitOptions = { key?: string | number; signal?: AbortSignal };

/** `version`: a name of the other agent's. */
export type ChildOptions = WaitOptions & { version?: string };

/** One try of a step, as its function gets it. `idempotencyKey`: the same on every try. */
export type StepTry = { key: string; name: string; number: number; signal: AbortSignal; idempotencyKey: string };

/** `type_stripper`: the path of the package that turns TypeScript into JavaScript. */
export type AgentCode = { entrypoint: string; type_stripper: string; code: Files; files?: Files };

export type Question = {
  reason: string;
  message: string | null;
  response_schema: unknown;
  expires_in_ms: number | null;
};

export type Context = {
  input: unknown;
  run_id: string | null;
  thread_id: string | null;
  env: Record<string, string>;
  signal: AbortSignal;
  /** What `saveState` was given. */
  state: unknown;
  state_snapshot: string | null;
  [field: string]: unknown;
};

/** A function of the agent's. */
export type AgentFunction = (input: unknown, context: Context) => unknown;

/**
 * `find` returns the function that runs the export of a name, or null when nothing of that name can be run. `values`: what the
 * module exports. `name` is the entrypoint's, if it has one.
 */
export type AgentModule = {
  path: string;
  name: string | undefined;
  values: Record<string, unknown>;
  find: (name: string) => AgentFunction | null;
};

/** The package behind `type_stripper`. */
export type TypeStripper = {
  transformSync: (
    text: string,
    options: { mode: "transform"; filename: string; sourceMap?: boolean },
  ) => { code: string; map: string };
};

/** What a type stripper throws for text that it can't parse. Lines are counted from 1, columns from 0. */
export type SyntaxFault = { startLine?: number; startColumn: number; snippet: string };

/** What a build is asked for. `npm`: the path of npm-cli.js; null where the worker has none. */
export type BuildRequest = {
  files: Files;
  entrypoint: string;
  esbuild: string;
  npm: string | null;
  npm_env: Record<string, string>;
};
