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
  [field: string]: unknown;
};

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

/** `find` returns the export of a name, or null when nothing of that name can be called. `name` is the entrypoint's, if it has one. */
export type AgentModule = { path: string; name: string | undefined; find: (name: string) => AgentFunction | null };

/** The package behind `type_stripper`. */
export type TypeStripper = {
  transformSync: (
    text: string,
    options: { mode: "transform"; filename: string; sourceMap?: boolean },
  ) => { code: string; map: string };
};

/** What a type stripper throws for text that it can't parse. Lines are counted from 1, columns from 0. */
export type SyntaxFault = { startLine?: number; startColumn: number; snippet: string };
