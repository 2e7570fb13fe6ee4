// Written by `npm run openapi` from docs/openapi.json. Do not edit.

export type AcceptedInput = {
  id: string;
  accepted_at: string;
  /** The run had it already. */
  repeated: boolean;
};

export type Adapters = {
  data: Array<{
    adapter_type: "python" | "custom" | "langchain" | "langgraph" | "crewai" | "node" | "command" | "process" | "http" | "container";
    /** True when a live worker offers the adapter. */
    available: boolean;
  }>;
};

export type AdminOverview = {
  workers: {
    active: number;
    draining: number;
    slots: number;
    busy: number;
  };
  runs: {
    scheduled: number;
    queued: number;
    running: number;
    interrupted: number;
    suspended: number;
  };
  /** Analytics of the runs that ended in the last 24 hours. */
  last_day: Figures;
  queues: Array<QueueState>;
  /** The number of daemons by status. */
  daemons: Record<string, number>;
  users: number;
  agents: number;
};

export type AdminUser = {
  id: string;
  object: "user";
  name: string | null;
  email: string | null;
  metadata: Record<string, unknown>;
  created_at: string;
  updated_at: string;
  figures: Figures;
};

export type Agent = {
  id: string;
  object: "agent";
  user_id: string;
  name: string;
  /** The version that is shown here. */
  version: string;
  current_version: string;
  status: "active" | "paused" | "archived";
  config: Record<string, unknown>;
  metadata: Record<string, unknown>;
  created_at: string;
  updated_at: string;
};

export type AgentBody = {
  /** The owner. */
  user_id: string;
  name: string;
  /** Left out: the service makes an id. */
  id?: string | null | undefined;
  /** Left out: `1.0.0` for a new agent. Another version is named by its content: the highest release, `+`, and 8 digits of the content's SHA-256. The same content is the same version. */
  version?: string | undefined;
  /** True: a version left out is a development version, `0.0.0-dev.` and 8 digits. `latest` and a rollback pass it over. */
  dev?: boolean | undefined;
  /** True: also make the version the current one, as `POST /v1/upgrade` does. */
  make_current?: boolean | undefined;
  /** The service reads the keys that are listed here. Any other key is the author's own: it is kept, and named in `warnings` of the answer. */
  config?: {
    /** What is called: `main.py`, `main.py:name` or `agent.core:main`; `src/index.ts:main`. */
    entrypoint?: string | undefined;
    /** The text of a single file, stored under the entrypoint's file name, or as main.py or main.ts. */
    source?: string | undefined;
    /** The code: relative path → text or data URL. The command line reads it from the folder. */
    files?: Record<string, string> | undefined;
    /** Python packages, like `httpx>=0.27`; wheels only. The command line reads them from requirements.txt or pyproject.toml. */
    requirements?: Array<string> | undefined;
    /** For the adapter `command`: a program and its arguments. */
    command?: Array<string> | undefined;
    /** How the command's stdout is read: as text (default), or each line as an event. */
    output?: "text" | "ndjson" | undefined;
    /** For the adapter `http`: the URL of the agent. */
    url?: string | undefined;
    /** For the adapter `container`: one of those that the operator lists. */
    image?: string | undefined;
    /** What runs the agent: `python` (default), `node`, `command`, `http` or `container`. `custom`, `langchain`, `langgraph` and `crewai` mean `python`, `process` means `command`. */
    adapter_type?: "python" | "custom" | "langchain" | "langgraph" | "crewai" | "node" | "command" | "process" | "http" | "container" | undefined;
    /** The pool of workers that takes its runs, such as `gpu`; `default` if left out. Runs of a pool without workers wait. */
    pool?: string | undefined;
    /** How the agent's runs are isolated: `standard` (default), `isolated`, or `full` for runs with a network. A request may narrow it, and name it where the config doesn't. */
    runtime_mode?: "standard" | "isolated" | "full" | undefined;
    /** Environment variables, kept in clear. Keys belong in `secrets`. */
    env?: Record<string, string> | undefined;
    /** A run that exceeds a limit ends with that limit's error, and keeps what it said. */
    limits?: {
      /** How long a run may take. */
      timeout_ms?: number | undefined;
      /** A run that no worker claims within this time expires. */
      queue_ttl_ms?: number | undefined;
      /** The memory of a run and all of its processes. */
      memory_mb?: number | undefined;
      /** The CPU time of a run and all of its processes. */
      cpu_ms?: number | undefined;
      /** How many processes and threads a run may have. */
      pids?: number | undefined;
      /** How much a run may say. */
      output_bytes?: number | undefined;
      /** How much a run may write to its folders. */
      files_bytes?: number | undefined;
      /** How many events a run may send. */
      events?: number | undefined;
      [key: string]: unknown;
    } | undefined;
    /** The hosts that `full` runs and the daemon may reach: a host, `*.domain` or `*`; a port is only needed for others than 80 and 443. */
    network?: "none" | {
      allow: Array<string>;
    } | undefined;
    /** A run ends after so many lost workers. 3 by default. Drains and answers start it again and aren't counted. */
    max_attempts?: number | undefined;
    /** A run whose agent fails is tried again. The delay grows by `factor` each time; by default 1 s, 2 s, 4 s … 60 s. */
    retry?: {
      max_attempts: number;
      delay_ms?: number | undefined;
      factor?: number | undefined;
      max_delay_ms?: number | undefined;
      [key: string]: unknown;
    } | undefined;
    /** What a run may use. Calls by connections that don't fit are refused (402). Where no call was metered, a run that reports more is ended. US dollars; input and output tokens together. */
    budget?: {
      usd?: number | undefined;
      tokens?: number | undefined;
      /** What the calls of a run and of all runs that it starts, and they start, may cost together. */
      tree?: {
        usd?: number | undefined;
        tokens?: number | undefined;
        [key: string]: unknown;
      } | undefined;
      /** The same for all runs of a thread. */
      thread?: {
        usd?: number | undefined;
        tokens?: number | undefined;
        [key: string]: unknown;
      } | undefined;
      /** The same for all of the agent's runs on a day, in UTC. */
      agent_day?: {
        usd?: number | undefined;
        tokens?: number | undefined;
        [key: string]: unknown;
      } | undefined;
      [key: string]: unknown;
    } | undefined;
    /** How many of the agent's runs may run at the same time. The others wait. */
    concurrency?: number | undefined;
    /** One process executes the version's runs one after another, so that modules, connections and threads stay. For Python and Node. A run that is `isolated` or brings files of its own has a process of its own all the same. */
    reuse?: boolean | undefined;
    /** How many of the agent's runs with the same `concurrency_key` may run at the same time. */
    key_concurrency?: number | undefined;
    /** How long a run that is cancelled or out of time may take to end by itself. 2000 by default; 0 kills at once. */
    stop_grace_ms?: number | undefined;
    /** How long the process of an `interactive` thread waits for the next run. 5 minutes by default. */
    idle_timeout_ms?: number | undefined;
    /** A run whose thread is busy: `enqueue` (default): it waits. `reject`: it is refused. `interrupt`: the runs before it are cancelled. */
    multitask_strategy?: "enqueue" | "reject" | "interrupt" | undefined;
    /** Who may answer its questions by their page. `link` (default): whoever has the address. `key`: with an API key, too. `off`: nobody. */
    answer_page?: "link" | "key" | "off" | undefined;
    /** A JSON Schema of the input: a mismatch is a 422. `default`s of its properties are filled in. */
    input_schema?: Record<string, unknown> | undefined;
    /** A JSON Schema of the result: a mismatch ends the run as an error. */
    output_schema?: Record<string, unknown> | undefined;
    /** Names of secrets that its runs get as environment variables. */
    secrets?: Array<string> | undefined;
    /** Names of connections: services that its runs may call by the gateway, which adds the keys. */
    connections?: Array<string> | undefined;
    /** Calls by connections that leave only once a person has said yes. What a rule leaves out may be anything; `*` in a path stands for any characters. */
    approvals?: Array<{
      method?: string | undefined;
      host?: string | undefined;
      path?: string | undefined;
    }> | undefined;
    [key: string]: unknown;
  } | null | undefined;
  metadata?: Record<string, unknown> | null | undefined;
};

export type AgentError = {
  code: string;
  count: number;
  /** The share of all ended runs. */
  share: number;
  /** The last run with this error, if it is among the agent's last 500 failures. */
  last: {
    run_id: string;
    version: string;
    message: string;
    at: string;
  } | null;
};

export type AgentErrors = {
  agent_id: string;
  since: string;
  until: string;
  runs: number;
  data: Array<AgentError>;
};

export type AgentListItem = {
  id: string;
  object: "agent";
  user_id: string;
  name: string;
  /** The version that is shown here. */
  version: string;
  current_version: string;
  status: "active" | "paused" | "archived";
  config?: Record<string, unknown> | undefined;
  metadata: Record<string, unknown>;
  created_at: string;
  updated_at: string;
};

export type AgentPatch = {
  name?: string | undefined;
  /** Merged into the existing metadata. Null removes a key, or all metadata. */
  metadata?: Record<string, unknown> | null | undefined;
};

export type AgentSecret = {
  name: string;
  tag: string | null;
  created_at: string;
  updated_at: string;
};

export type AgentSecrets = {
  data: Array<AgentSecret>;
};

export type AgentStats = {
  agent_id: string;
  since: string;
  until: string;
  runs: number;
  by_status: Record<string, number>;
  /** The share of successful runs among the ended runs. Null: no run has ended. */
  success_rate: number | null;
  duration_ms: {
    p50: number | null;
    p95: number | null;
    p99: number | null;
  };
  queue_ms: {
    p50: number | null;
    p95: number | null;
    p99: number | null;
  };
  cpu_ms: number;
  input_tokens: number;
  output_tokens: number;
  last_run_at: string | null;
};

export type AgentVersion = {
  object: "agent_version";
  agent_id: string;
  version: string;
  status: "active" | "deprecated" | "archived";
  current: boolean;
  /** `building`: its runs wait. `failed`: its runs end with the build's error. `ready` without a build. */
  state: "building" | "ready" | "failed";
  tags: Array<string>;
  config: Record<string, unknown>;
  created_at: string;
};

export type AgentVersionListItem = {
  object: "agent_version";
  agent_id: string;
  version: string;
  status: "active" | "deprecated" | "archived";
  current: boolean;
  /** `building`: its runs wait. `failed`: its runs end with the build's error. `ready` without a build. */
  state: "building" | "ready" | "failed";
  tags: Array<string>;
  config?: Record<string, unknown> | undefined;
  created_at: string;
};

export type ApiKey = {
  id: string;
  object: "api_key";
  user_id: string;
  name: string | null;
  scopes: Array<string>;
  run_id: string | null;
  requests_per_minute: number | null;
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  revoked_at: string | null;
};

export type ApiKeyBody = {
  /** The key's owner. Only an admin may name another user. */
  user_id?: string | null | undefined;
  name?: string | null | undefined;
  /** The key's scopes. Your own key must have them. Left out: `*`. */
  scopes?: Array<"*" | "agents:read" | "agents:write" | "runs:read" | "runs:write" | "threads:read" | "threads:write" | "daemons:read" | "daemons:write" | "jobs:read" | "jobs:write" | "hooks:read" | "hooks:write" | "connections:read" | "connections:write" | "store:read" | "store:write" | "notifications:read" | "notifications:write" | "billing:read" | "billing:write" | "studio:read" | "studio:write" | "users:read" | "users:write" | "admin" | "internal"> | null | undefined;
  /** Makes a read token of this run: it can only read the run, and may be part of a URL. */
  run_id?: string | null | undefined;
  /** A limit of this key's own, beside that of its user. At most that of the key of the request. */
  requests_per_minute?: number | null | undefined;
  /** Left out: the key expires when the key of the request does, if that does; a run's read token expires in an hour at most. */
  expires_at?: string | null | undefined;
};

export type Artifact = {
  id: string;
  object: "artifact";
  attempt: number;
  name: string;
  mime: string;
  size: number;
  sha256: string;
  url: string;
  created_at: string;
};

export type ArtifactEvent = {
  type: "artifact";
  run_id: string;
  attempt: number;
  seq: number;
  ts: string;
  name: string;
  mime: string;
  size: number;
  sha256: string;
  url: string;
};

export type AskingRun = {
  run_id: string;
  agent_id: string;
  version: string;
  thread_id: string | null;
  user_id: string;
  asked_at: string;
  interrupts: Array<{
    id: string;
    reason: string;
    message: string | null;
    response_schema: Record<string, unknown> | null;
    expires_at: string;
  }>;
};

export type AuditEntry = {
  id: string;
  user_id: string | null;
  actor: string;
  action: string;
  target_type: string;
  target_id: string | null;
  request_id: string | null;
  ip: string | null;
  /** What was done to the target, such as the version that became current. Never a secret. */
  detail: Record<string, unknown>;
  created_at: string;
};

export type Backfill = {
  fired: number;
  skipped: number;
  /** Ticks that had made a run before. */
  already_fired: number;
  /** The ticks that were tried now, oldest first. */
  data: Array<JobTick>;
};

export type BackfillBody = {
  /** Ticks at or after this time. */
  from: string;
  /** Ticks at or before this time, which must have passed. */
  to: string;
};

export type BatchResult = {
  accepted: number;
  refused: number;
  data: Array<{
    index: number;
    run_id: string | null;
    /** Why this request was refused. The other runs are started nevertheless. */
    error: {
      code: string;
      detail: unknown;
    } | null;
  }>;
};

export type BillingEvent = {
  id: string;
  object: "billing_event";
  type: string;
  /** `waiting`: its user is not known yet. `unreadable`: it is kept aside, see `error`. `ignored`: its type changes nothing here. */
  status: "applied" | "waiting" | "unreadable" | "ignored";
  object_id: string | null;
  customer_id: string | null;
  user_id: string | null;
  error: string | null;
  /** When the payment provider made it. */
  created: string;
  received_at: string;
  applied_at: string | null;
};

export type Build = {
  object: "build";
  agent_id: string;
  version: string;
  /** `building`: its runs wait. `failed`: its runs end with the build's error. `ready` without a build. */
  state: "building" | "ready" | "failed";
  /** Why the build failed. */
  error: string | null;
  /** What it printed, the last 256 KiB. */
  log: string;
  /** The packages, exactly: package-lock.json, or for Python a line of name, version and hash for each. */
  lock: string | null;
  /** What it made. */
  files: Array<{
    name: string;
    size: number;
  }>;
  attempts: number;
  started_at: string | null;
  ended_at: string | null;
};

export type BuildEndedEvent = {
  /** `building`: its runs wait. `failed`: its runs end with the build's error. `ready` without a build. */
  state: "building" | "ready" | "failed";
  error: string | null;
};

/** A message of a build's stream. Ignore events that you don't know. */
export type BuildEvent = BuildLogEvent | BuildEndedEvent;

export type BuildLogEvent = {
  text: string;
};

export type BulkCancelBody = {
  /** The conditions of the list of runs, at least one, unless `run_ids` names runs. An unknown field is a 422. */
  filter?: {
    /** Only runs with this status. Several, with commas between: any of them. */
    status?: "scheduled" | "queued" | "running" | "interrupted" | "suspended" | "success" | "error" | "timeout" | "cancelled" | "expired" | Array<"scheduled" | "queued" | "running" | "interrupted" | "suspended" | "success" | "error" | "timeout" | "cancelled" | "expired"> | undefined;
    /** Only runs of this agent. Several, with commas between: any of them. */
    agent_id?: string | Array<string> | undefined;
    /** Only runs of this version. The name must be exact. Several, with commas between: any of them. */
    version?: string | Array<string> | undefined;
    /** Only things of this user. */
    user_id?: string | undefined;
    /** Only runs of this thread. */
    thread_id?: string | undefined;
    /** Only runs that this job made. */
    job_id?: string | undefined;
    /** Only runs that ran this run again. */
    replay_of?: string | undefined;
    /** Only runs that this bulk operation has made. */
    bulk_id?: string | undefined;
    /** Only runs that this run has started. */
    parent_run_id?: string | undefined;
    /** Only runs of the tree below this run: those that it has started, those that they have started. */
    root_run_id?: string | undefined;
    /** Only runs whose last attempt this worker executed. */
    worker_id?: string | undefined;
    /** Only runs that were started this way. */
    origin?: "api" | "job" | "daemon" | "replay" | "run" | undefined;
    /** Only runs of this lifecycle. */
    lifecycle?: "serverless" | "interactive" | "daemon" | undefined;
    /** Only runs whose error has this code. With `status=error` a page looks further back. */
    error_code?: string | undefined;
    /** Only runs that took so long at least. */
    min_duration_ms?: number | undefined;
    /** Only things with this tag. */
    tag?: string | undefined;
    /** Only things whose metadata has this text, number or boolean, as in `metadata[customer]=ada`. Several must all match. */
    metadata?: Record<string, string> | undefined;
    /** Created at or after this time. */
    since?: string | undefined;
    /** Created before this time. */
    until?: string | undefined;
    /** Only runs with this text in an id, the input, the result or the error. An input or result of more than 64 KiB is not searched. A page searches at most 10,000 runs, so it may have fewer than `limit` results and still `has_more`. Continue after its `last_id`. */
    search?: string | undefined;
  } | undefined;
  /** Only these runs, as far as the filter matches them. */
  run_ids?: Array<string> | undefined;
  /** True: only count the runs, and show some of them. */
  preview?: boolean | undefined;
};

export type BulkOperation = {
  id: string;
  object: "bulk_operation";
  user_id: string;
  action: "cancel" | "replay";
  filter: Record<string, unknown>;
  status: "pending" | "running" | "done" | "error";
  /** The number of matching runs when the operation was requested. At least: where no index serves a condition, such as `search`, only the newest 10,000 runs are counted. The operation itself is about all that match. */
  total: number;
  done: number;
  failed: number;
  created_at: string;
  finished_at: string | null;
};

export type BulkPreview = {
  action: "cancel" | "replay";
  /** The number of runs that match now. At least: where no index serves a condition, such as `search`, only the newest 10,000 runs are counted. The operation itself is about all that match. */
  total: number;
  /** True: there are older runs, which were not counted. */
  more: boolean;
  /** The newest runs that match, at most 10. */
  examples: Array<{
    id: string;
    agent_id: string;
    status: "scheduled" | "queued" | "running" | "interrupted" | "suspended" | "success" | "error" | "timeout" | "cancelled" | "expired";
    created_at: string;
  }>;
};

export type BulkReplayBody = {
  /** Left out: the version of the old run. */
  version?: string | null | undefined;
  /** Replaces the input of the old run. */
  input_payload?: Record<string, unknown> | null | undefined;
  /** Where the new run goes on: `failed` (the steps that failed are done anew, results stay), a step (`charge#2`, or its key: it is done anew, and what was kept after it), or the id of an event (what was kept after it is done anew). Left out: from the beginning. */
  from?: string | null | undefined;
  /** Results that steps have instead of their own, by step. Needs `from`. */
  set?: Record<string, unknown> | null | undefined;
  /** The conditions of the list of runs, at least one, unless `run_ids` names runs. An unknown field is a 422. */
  filter?: {
    /** Only runs with this status. Several, with commas between: any of them. */
    status?: "scheduled" | "queued" | "running" | "interrupted" | "suspended" | "success" | "error" | "timeout" | "cancelled" | "expired" | Array<"scheduled" | "queued" | "running" | "interrupted" | "suspended" | "success" | "error" | "timeout" | "cancelled" | "expired"> | undefined;
    /** Only runs of this agent. Several, with commas between: any of them. */
    agent_id?: string | Array<string> | undefined;
    /** Only runs of this version. The name must be exact. Several, with commas between: any of them. */
    version?: string | Array<string> | undefined;
    /** Only things of this user. */
    user_id?: string | undefined;
    /** Only runs of this thread. */
    thread_id?: string | undefined;
    /** Only runs that this job made. */
    job_id?: string | undefined;
    /** Only runs that ran this run again. */
    replay_of?: string | undefined;
    /** Only runs that this bulk operation has made. */
    bulk_id?: string | undefined;
    /** Only runs that this run has started. */
    parent_run_id?: string | undefined;
    /** Only runs of the tree below this run: those that it has started, those that they have started. */
    root_run_id?: string | undefined;
    /** Only runs whose last attempt this worker executed. */
    worker_id?: string | undefined;
    /** Only runs that were started this way. */
    origin?: "api" | "job" | "daemon" | "replay" | "run" | undefined;
    /** Only runs of this lifecycle. */
    lifecycle?: "serverless" | "interactive" | "daemon" | undefined;
    /** Only runs whose error has this code. With `status=error` a page looks further back. */
    error_code?: string | undefined;
    /** Only runs that took so long at least. */
    min_duration_ms?: number | undefined;
    /** Only things with this tag. */
    tag?: string | undefined;
    /** Only things whose metadata has this text, number or boolean, as in `metadata[customer]=ada`. Several must all match. */
    metadata?: Record<string, string> | undefined;
    /** Created at or after this time. */
    since?: string | undefined;
    /** Created before this time. */
    until?: string | undefined;
    /** Only runs with this text in an id, the input, the result or the error. An input or result of more than 64 KiB is not searched. A page searches at most 10,000 runs, so it may have fewer than `limit` results and still `has_more`. Continue after its `last_id`. */
    search?: string | undefined;
  } | undefined;
  /** Only these runs, as far as the filter matches them. */
  run_ids?: Array<string> | undefined;
  /** True: only count the runs, and show some of them. */
  preview?: boolean | undefined;
};

export type CallEndEvent = {
  type: "call.end";
  run_id: string;
  attempt: number;
  seq: number;
  ts: string;
  call: number;
  connection: string;
  status: number | null;
  model: string | null;
  counted: "metered" | "estimated" | "unknown" | null;
  input_tokens: number;
  cached_tokens: number;
  output_tokens: number;
  /** Null: the model's price isn't known. */
  cost_usd: number | null;
  request_bytes: number;
  response_bytes: number;
  duration_ms: number;
  recorded: boolean;
};

export type CallMissedEvent = {
  type: "call.missed";
  run_id: string;
  attempt: number;
  seq: number;
  ts: string;
  call: number;
  path: string;
  /** Where in the request it differs: a JSON path. */
  at: string | null;
  was: string | null;
  is: string | null;
  hint: string | null;
};

export type CallStartEvent = {
  type: "call.start";
  run_id: string;
  attempt: number;
  seq: number;
  ts: string;
  /** The number of the call in its attempt. */
  call: number;
  connection: string;
  method: string;
  host: string;
  path: string;
  model: string | null;
};

export type CallbackSecret = {
  secret: string;
};

export type CheckoutBody = {
  /** The user. Left out: the caller. */
  user_id?: string | null | undefined;
  /** The plan to subscribe to. Send this or `amount_usd_cents`. */
  plan_id?: string | null | undefined;
  /** The amount of a wallet top-up. Send this or `plan_id`. */
  amount_usd_cents?: number | null | undefined;
  success_url: string;
  cancel_url?: string | null | undefined;
};

export type ChildEndedEvent = {
  type: "child.ended";
  run_id: string;
  attempt: number;
  seq: number;
  ts: string;
  /** The same on every attempt. */
  key: string;
  name: string;
  /** Null: it was not started. */
  child_run_id: string | null;
  /** As the run ended, `refused` for one that was not started, or `deleted`. */
  status: string;
  /** Of the run's error, or why it was not started. */
  code: string | null;
};

export type ChildStartedEvent = {
  type: "child.started";
  run_id: string;
  attempt: number;
  seq: number;
  ts: string;
  /** The same on every attempt. */
  key: string;
  name: string;
  child_run_id: string;
  agent_id: string;
  /** It goes on when this run ends, and this run doesn't wait for it. */
  detached: boolean;
};

export type CompletedRun = {
  id: string;
  run_id: string;
  object: "run";
  agent_id: string;
  version: string;
  thread_id: string | null;
  user_id: string;
  status: "scheduled" | "queued" | "running" | "interrupted" | "suspended" | "success" | "error" | "timeout" | "cancelled" | "expired";
  attempt: number;
  max_attempts: number;
  adapter_type: string;
  runtime_mode: string;
  lifecycle: string;
  input_payload: unknown;
  env_names: Array<string>;
  files: Array<{
    name: string;
    size: number;
    sha256: string;
  }>;
  result_content: unknown;
  error: {
    code: string;
    type: string | null;
    message: string;
    traceback: string | null;
  } | null;
  current_status: string | null;
  state_snapshot: string | null;
  usage: {
    input_tokens?: number | undefined;
    output_tokens?: number | undefined;
    cost_usd?: number | undefined;
    cpu_ms?: number | undefined;
    max_rss_bytes?: number | undefined;
    /** How many `tool.start` events the agent sent. */
    tool_calls?: number | undefined;
    /** What services counted of calls to connections. Then the tokens and the cost above are these. */
    metered?: {
      input_tokens?: number | undefined;
      output_tokens?: number | undefined;
      cost_usd?: number | undefined;
    } | undefined;
    /** With `metered`: what the agent said. */
    reported?: {
      input_tokens?: number | undefined;
      output_tokens?: number | undefined;
      cost_usd?: number | undefined;
    } | undefined;
  } | null;
  sandbox: {
    level: number;
    name: string;
    layers: Array<string>;
  } | null;
  worker_id: string | null;
  origin: "api" | "job" | "daemon" | "replay" | "run";
  replay_of: string | null;
  job_id: string | null;
  /** The run that has started it; null: none. */
  parent_run_id: string | null;
  /** The run at the root of its tree; null: it is none's child. */
  root_run_id: string | null;
  /** Whether it goes on when the run that has started it ends. */
  detached: boolean;
  tags: Array<string>;
  metadata: Record<string, unknown>;
  timeout_ms: number;
  /** What the run's request asked beside its input; null: nothing. */
  request_options: {
    priority?: number | undefined;
    queue_ttl_ms?: number | undefined;
    timeout_ms?: number | undefined;
    max_attempts?: number | undefined;
    max_cost_usd?: number | undefined;
    max_tokens?: number | undefined;
    concurrency_key?: string | undefined;
    key_concurrency?: number | undefined;
  } | null;
  /** Why the run waits, if the service knows. */
  wait_reason: "no_worker" | "concurrency_limit" | "concurrency_key" | "thread_busy" | "paused" | "building" | "retry" | "delay" | null;
  created_at: string;
  /** When a `scheduled` run is queued for its first or its next attempt. */
  scheduled_at: string | null;
  started_at: string | null;
  completed_at: string | null;
  queue_ms: number | null;
  duration_ms: number | null;
  /** What an interrupted run waits for; else empty. */
  interrupts: Array<{
    id: string;
    reason: string;
    message: string | null;
    response_schema: Record<string, unknown> | null;
    expires_at: string;
    /** The page on which a person answers, for whoever has this address. Without PUBLIC_URL it is the path on this service. Only those are told it who may resume the run. */
    answer_url?: string | undefined;
  }>;
  callback: RunCallback | null;
  completed: boolean;
  already_completed: boolean;
};

export type Completion = {
  /** `failed` and `failure` mean error, `canceled` means cancelled. */
  status?: "success" | "error" | "failed" | "failure" | "timeout" | "cancelled" | "canceled" | undefined;
  result_content?: Record<string, unknown> | null | undefined;
  /** Null: measured by the service. */
  duration_ms?: number | null | undefined;
};

export type Connection = {
  id: string;
  object: "connection";
  user_id: string;
  agent_id: string | null;
  name: string;
  preset: "openai" | "anthropic" | "google" | "mistral" | "openrouter" | "azure" | "openai_compatible" | null;
  base_url: string;
  kind: "bearer" | "header" | "basic";
  header: string | null;
  username: string | null;
  requests_per_minute: number | null;
  tokens_per_minute: number | null;
  created_at: string;
  updated_at: string;
};

export type ConnectionBody = {
  /** The service. It gives the address, how the key is sent, and the variables that the service's libraries read. `azure` and `openai_compatible` need `base_url`. Left out: any other service, by `base_url` and `kind`. */
  preset?: "openai" | "anthropic" | "google" | "mistral" | "openrouter" | "azure" | "openai_compatible" | null | undefined;
  /** The service's address, where the preset's isn't meant. */
  base_url?: string | null | undefined;
  /** How the secret is sent: `bearer` token, in the `header` that is named, or as `username`'s password (`basic`). */
  kind?: "bearer" | "header" | "basic" | null | undefined;
  /** For the kind `header`: the header's name. */
  header?: string | null | undefined;
  /** For the kind `basic`. */
  username?: string | null | undefined;
  /** The key or password: visible ASCII without blanks. It is stored encrypted and never returned. */
  secret: string;
  /** More calls wait. Counted by each worker's gateway. */
  requests_per_minute?: number | null | undefined;
  /** The same for input and output tokens. */
  tokens_per_minute?: number | null | undefined;
};

export type Costs = {
  since: string;
  until: string;
  by: "user" | "agent";
  total: Figures;
  /** Most expensive first. */
  data: Array<{
    /** The number of ended runs. */
    runs: number;
    success: number;
    error: number;
    timeout: number;
    cancelled: number;
    expired: number;
    /** The share of successful runs among the ended runs. Null: no run has ended. */
    success_rate: number | null;
    /** The sum of all durations. */
    duration_ms: number;
    cpu_ms: number;
    input_tokens: number;
    output_tokens: number;
    cost_usd: number;
    /** The id of the user or the agent. */
    id: string;
  }>;
};

export type CurrentSession = {
  object: "session";
  /** Null: the request has no session. It may have a key. */
  id: string | null;
  auth_mode: "open" | "key";
  /** Null: nobody is signed in. */
  user_id: string | null;
  principal: {
    kind: "key" | "bootstrap";
    /** The key's id. */
    id: string;
  } | null;
  scopes: Array<string>;
  /** True when the things of all users are shown. */
  admin: boolean;
  expires_at: string | null;
};

export type CustomEvent = {
  type: "custom";
  run_id: string;
  attempt: number;
  seq: number;
  ts: string;
  name: string;
  value: unknown;
};

export type Daemon = {
  agent_id: string;
  object: "daemon";
  version: string;
  desired: "running" | "paused" | "stopped";
  status: "stopped" | "starting" | "running" | "degraded" | "paused" | "stopping" | "crashed" | "backoff" | "failed";
  worker_id: string | null;
  pid: number | null;
  /** The number of restarts since the daemon was last started by request. */
  restarts: number;
  last_exit: {
    code: number | null;
    signal: string | null;
    reason: string | null;
    at: string;
  } | null;
  health: {
    state: "healthy" | "degraded" | "unknown";
    last_progress_at: string | null;
    /** True while the daemon handles a message. */
    busy: boolean;
  };
  /** While an upgrade is watched: the version to which the daemon is rolled back when it is not healthy. */
  previous_version: string | null;
  started_at: string | null;
  uptime_ms: number | null;
  /** The number of messages that are being handled. */
  in_flight: number;
  /** The number of waiting messages. */
  mailbox_depth: number;
};

export type DaemonControl = {
  /** For start and restart: an exact version, a tag, `current` or `latest`. Null: not changed. */
  version?: string | null | undefined;
  /** For start and restart: the environment variables of the process, which are stored encrypted. Null: not changed. */
  env_vars?: Record<string, string> | null | undefined;
  /** The grace period in which the process may end by itself. Left out: 10 s. */
  grace_ms?: number | null | undefined;
  /** The same as in the path. */
  agent_id: string;
  /** `status` changes nothing. */
  action?: "status" | "start" | "stop" | "restart" | "pause" | "resume" | "kill" | "message" | undefined;
  /** For message: the input of the daemon's `on_message`. */
  payload?: Record<string, unknown> | null | undefined;
};

export type DaemonControlled = {
  agent_id: string;
  action: "status" | "start" | "stop" | "restart" | "pause" | "resume" | "kill" | "message";
  /** False: the daemon had the desired state already. */
  changed: boolean;
  daemon: Daemon;
  /** For message: the id of the message's run. */
  run_id: string | null;
};

/** A message of a daemon's stream. Ignore events that you don't know. */
export type DaemonEvent = DaemonStatusEvent | DaemonLogEvent;

export type DaemonLogEvent = DaemonLogLine;

export type DaemonLogLine = {
  id: string;
  level: string;
  /** `daemon`: a line of the daemon's supervisor. */
  stream: "stdout" | "stderr" | "agent" | "daemon";
  message: string;
  ts: string;
};

export type DaemonMessage = {
  /** The input of `on_message`. */
  payload?: Record<string, unknown> | undefined;
  /** A repeated request with the same id and payload refers to the same message. */
  run_id?: string | null | undefined;
};

export type DaemonMessageToWebhook = {
  type: string;
  timestamp: string;
  agent_id: string;
  version: string;
  data: {
    agent_id: string;
    version: string;
    status: "stopped" | "starting" | "running" | "degraded" | "paused" | "stopping" | "crashed" | "backoff" | "failed";
    previous_status: "stopped" | "starting" | "running" | "degraded" | "paused" | "stopping" | "crashed" | "backoff" | "failed";
    restarts: number;
    last_exit: {
      code: number | null;
      signal: string | null;
      reason: string | null;
      at: string;
    } | null;
  };
};

export type DaemonSettings = {
  /** For start and restart: an exact version, a tag, `current` or `latest`. Null: not changed. */
  version?: string | null | undefined;
  /** For start and restart: the environment variables of the process, which are stored encrypted. Null: not changed. */
  env_vars?: Record<string, string> | null | undefined;
  /** The grace period in which the process may end by itself. Left out: 10 s. */
  grace_ms?: number | null | undefined;
};

export type DaemonStatusEvent = Daemon;

export type DaemonStop = {
  /** The grace period in which the process may end by itself. Left out: 10 s. */
  grace_ms?: number | null | undefined;
};

export type DeadLetter = {
  id: string;
  object: "dead_letter";
  user_id: string;
  run_id: string | null;
  webhook_id: string | null;
  type: string;
  url_host: string;
  tries: number;
  last_error: string | null;
  created_at: string;
};

export type Delivery = {
  id: string;
  object: "delivery";
  webhook_id: string;
  type: string;
  run_id: string | null;
  status: "pending" | "delivered" | "exhausted";
  attempts: number;
  last_error: string | null;
  next_attempt_at: string | null;
  created_at: string;
  delivered_at: string | null;
  tries: Array<{
    try: number;
    status_code: number | null;
    error: string | null;
    /** What to do about the error, where that is known. */
    hint: string | null;
    duration_ms: number;
    at: string;
  }>;
  /** The body that is sent, with `?include=payload`. Null: the run's record as `GET /v1/runs/{run_id}` has it at the time of a try. */
  payload?: unknown | undefined;
};

export type DismissedWorker = {
  id: string;
  dismissal: "drain" | "kill";
};

export type Distribution = {
  p50: number | null;
  p95: number | null;
  p99: number | null;
  /** The histogram: the number of values with `from` ≤ value < `to`, in steps of the square root of 2. */
  steps: Array<{
    from: number;
    to: number;
    count: number;
  }>;
};

export type ErrorAnswer = {
  detail: string;
  code: string;
  request_id: string;
};

export type ErrorGroup = {
  object: "error_group";
  /** The same for errors that are alike: of the same agent, code and type, raised in the same function, with the same message apart from numbers and ids. */
  fingerprint: string;
  agent_id: string;
  user_id: string;
  code: string;
  /** The class of the agent's exception. Null: there was none. */
  type: string | null;
  /** That of the newest run, at most 1,000 characters. */
  message: string;
  /** The file and function that raised it. Null: it has no traceback. */
  frame: string | null;
  /** The number of failed runs. */
  count: number;
  /** The share of all failed runs that were looked at. */
  share: number;
  /** When the oldest of the runs was created. */
  first_at: string;
  last_at: string;
  last_run_id: string;
  /** The versions that most of the runs had, at most ten. */
  versions: Array<{
    version: string;
    count: number;
  }>;
  /** The number of runs in each of 24 equal parts of the time range. */
  trend: Array<number>;
  state: "open" | "resolved" | "ignored";
  state_changed_at: string | null;
  state_changed_by: string | null;
  /** True: it was resolved, and came back. */
  regressed: boolean;
};

export type ErrorGroupDetails = {
  object: "error_group";
  /** The same for errors that are alike: of the same agent, code and type, raised in the same function, with the same message apart from numbers and ids. */
  fingerprint: string;
  agent_id: string;
  user_id: string;
  code: string;
  /** The class of the agent's exception. Null: there was none. */
  type: string | null;
  /** That of the newest run, at most 1,000 characters. */
  message: string;
  /** The file and function that raised it. Null: it has no traceback. */
  frame: string | null;
  /** The number of failed runs. */
  count: number;
  /** The share of all failed runs that were looked at. */
  share: number;
  /** When the oldest of the runs was created. */
  first_at: string;
  last_at: string;
  last_run_id: string;
  /** The versions that most of the runs had, at most ten. */
  versions: Array<{
    version: string;
    count: number;
  }>;
  /** The number of runs in each of 24 equal parts of the time range. */
  trend: Array<number>;
  state: "open" | "resolved" | "ignored";
  state_changed_at: string | null;
  state_changed_by: string | null;
  /** True: it was resolved, and came back. */
  regressed: boolean;
  /** That of the newest run. */
  traceback: string | null;
  /** Its runs, newest first, at most 1000: what `POST /v1/runs/bulk/replay` takes. */
  run_ids: Array<string>;
};

export type ErrorGroupPatch = {
  /** `resolved`: the group is open again when a run fails with the error later. `ignored`: it stays ignored until it is opened. */
  state: "open" | "resolved" | "ignored";
};

export type ErrorGroups = {
  since: string;
  until: string;
  /** The failed runs that were looked at: the newest 5,000 at most. */
  failures: number;
  /** True: older failed runs of the time range were not looked at. */
  more: boolean;
  /** The group with most runs comes first. */
  data: Array<ErrorGroup>;
};

export type ExecuteBatch = {
  requests: Array<ExecuteRequest>;
};

export type ExecuteRequest = {
  /** The agent to run. */
  agent_id: string;
  /** An exact version, a tag, `current` or `latest`. */
  version: string;
  /** The input of the agent's `main`. */
  input_payload?: Record<string, unknown> | undefined;
  /** Environment variables. They are stored encrypted and deleted when the run ends. */
  env_vars?: Record<string, string> | undefined;
  /** Files by relative path. The content is text or a data URL of at most 5 MiB. The whole request has at most 6 MiB. */
  files?: Record<string, string> | undefined;
  history?: Array<unknown> | undefined;
  /** The state that an earlier run saved. The service does not interpret it. */
  state_snapshot?: string | undefined;
  /** The thread of the run. An unknown id creates a thread. */
  thread_id?: string | null | undefined;
  /** `python` or left out: the adapter in the version's config, else Python. Another one than the config's is a 422 `adapter_mismatch`. */
  adapter_type?: "python" | "custom" | "langchain" | "langgraph" | "crewai" | "node" | "command" | "process" | "http" | "container" | undefined;
  runtime_mode?: "standard" | "isolated" | "full" | undefined;
  lifecycle?: "serverless" | "interactive" | "daemon" | undefined;
  /** An id for the run, which no other run gets once it was executed, also when it is deleted. A repeated request with the same id and body attaches to the existing run. */
  run_id?: string | null | undefined;
  /** The client's own data on the run, by which lists are filtered. */
  metadata?: Record<string, unknown> | undefined;
  /** The client's own words for the run, by which lists are filtered. */
  tags?: Array<string> | undefined;
  /** This URL gets a POST when the run has ended. */
  completion_callback_url?: string | null | undefined;
  /** The run is queued after this time. */
  delay_ms?: number | null | undefined;
  /** The run is queued at this time. A time that has passed is now. */
  run_at?: string | null | undefined;
  /** The run is queued after `delay_ms`. A request for the same agent with the same key that comes earlier replaces the waiting run's request and starts its delay again; its answer is the same run. An `Idempotency-Key` is not looked at. */
  debounce?: {
    key: string;
    delay_ms: number;
  } | null | undefined;
  /** While runs wait, this one goes before its user's runs that came up to so many seconds earlier. */
  priority?: number | null | undefined;
  /** The run expires when no worker claims it within this time. */
  queue_ttl_ms?: number | null | undefined;
  /** The run ends as `timeout` after this time. */
  timeout_ms?: number | null | undefined;
  /** The run ends after so many lost workers, or so many tries of the config's `retry`. A drain and an answer start its agent again and aren't counted. */
  max_attempts?: number | null | undefined;
  /** What the run may cost. Calls by connections that don't fit are refused (402). Where no call was metered, a run that reports more is ended (`budget_exceeded`). */
  max_cost_usd?: number | null | undefined;
  /** The same for input and output tokens together. */
  max_tokens?: number | null | undefined;
  /** Of the agent's runs with this key, at most `key_concurrency` run at once. The others wait. */
  concurrency_key?: string | null | undefined;
  /** Left out: the `key_concurrency` of the agent's config, else 1. */
  key_concurrency?: number | null | undefined;
};

export type Figures = {
  /** The number of ended runs. */
  runs: number;
  success: number;
  error: number;
  timeout: number;
  cancelled: number;
  expired: number;
  /** The share of successful runs among the ended runs. Null: no run has ended. */
  success_rate: number | null;
  /** The sum of all durations. */
  duration_ms: number;
  cpu_ms: number;
  input_tokens: number;
  output_tokens: number;
  cost_usd: number;
};

/** `start` is the start of the calendar unit, which may be before `since`. */
export type FiguresBucket = {
  /** The number of ended runs. */
  runs: number;
  success: number;
  error: number;
  timeout: number;
  cancelled: number;
  expired: number;
  /** The share of successful runs among the ended runs. Null: no run has ended. */
  success_rate: number | null;
  /** The sum of all durations. */
  duration_ms: number;
  cpu_ms: number;
  input_tokens: number;
  output_tokens: number;
  cost_usd: number;
  start: string;
  latency_ms: Percentiles;
};

export type Fleet = {
  data: Array<FleetWorker>;
};

export type FleetHistory = {
  object: "fleet_history";
  since: string;
  until: string;
  /** How long each step is: a minute, or longer where there would be more than 120 steps. */
  step_ms: number;
  data: Array<{
    /** When the step begins. */
    at: string;
    slots: number;
    /** Slots that were taken. */
    busy: number;
    /** Runs that were queued. */
    queued: number;
    /** For how long the oldest queued run had waited. */
    oldest_ms: number | null;
  }>;
};

export type FleetWorker = {
  id: string;
  host: string;
  pid: number;
  software: string;
  slots: number;
  busy: number;
  adapters: Array<string>;
  /** It takes runs of this pool only. */
  pool: string;
  sandbox: WorkerSandbox;
  status: string;
  started_at: string;
  heartbeat_at: string;
};

export type ForkBody = {
  /** The new thread's id. Left out: the service makes one. */
  thread_id?: string | null | undefined;
  /** The last run whose messages and state are copied. Left out: all runs. */
  run_id?: string | null | undefined;
  title?: string | null | undefined;
  /** Replaces the metadata of the original thread. */
  metadata?: Record<string, unknown> | null | undefined;
};

export type GapEvent = {
  type: "gap";
  run_id: string;
  attempt: number;
  seq: number;
  ts: string;
  from: {
    attempt: number;
    seq: number;
  };
  to: {
    attempt: number;
    seq: number;
  };
  reason: string;
};

export type HTTPValidationError = {
  detail?: Array<ValidationError> | undefined;
};

export type Health = {
  status: "ok" | "degraded";
  version: string;
  auth: "open" | "key";
  postgres: "up" | "read_only" | "down";
  redis: "up" | "down";
  workers: number;
  /** The pools of workers. A pool with queued runs and no workers needs a worker. With keys (AUTH_MODE=key) the pools but for `default` are one, `*`: agents name pools, and anybody may ask here. `/metrics` has each of them. */
  pools: Array<{
    pool: string;
    workers: number;
    queued: number;
    /** For how long its oldest queued run waits. */
    oldest_ms: number | null;
  }>;
  /** The isolation levels of the live workers. */
  sandbox_levels: Array<number>;
  /** Why live workers have no stronger level. */
  sandbox_missing: Array<string>;
};

export type Hook = {
  id: string;
  object: "hook";
  user_id: string;
  agent_id: string;
  version: string;
  runtime_mode: "standard" | "isolated" | "full";
  /** Where the sender POSTs its deliveries. Without PUBLIC_URL it is the path on this service. */
  url: string;
  verify: "github" | "stripe" | "slack" | "standard" | "hmac" | "none";
  signature: {
    header: string;
    algorithm: "sha256" | "sha512" | "sha1";
    encoding: "hex" | "base64";
  } | null;
  filter: Record<string, unknown> | null;
  map: Record<string, unknown> | null;
  dedupe: string | null;
  thread: string | null;
  signal: {
    run_id: string;
    name: string;
  } | null;
  /** False: deliveries are refused until a secret is set. The scheme `none` needs no secret. */
  has_secret: boolean;
  /** Until then the secret before the last rotation is accepted, too. */
  previous_secret_until: string | null;
  respond: "accepted" | "result";
  status: "active" | "paused";
  /** The last request that was no delivery, such as one with an invalid signature. */
  last_refusal: {
    at: string;
    code: string;
  } | null;
  description: string | null;
  metadata: Record<string, unknown>;
  created_at: string;
  updated_at: string;
};

export type HookBody = {
  /** The agent that runs. Its owner is the owner of the hook and its runs. */
  agent_id: string;
  /** An exact version, a tag, `current` or `latest`, looked up at each delivery. */
  version?: string | undefined;
  runtime_mode?: "standard" | "isolated" | "full" | undefined;
  /** Who signs the deliveries, and how: `github`, `stripe`, `slack`, `standard` (Standard Webhooks), `hmac` (an HMAC of the body in a header, see `signature`), or `none`: whoever knows the address may start runs. */
  verify: "github" | "stripe" | "slack" | "standard" | "hmac" | "none";
  /** For `hmac` only: the header, such as `X-Hub-Signature`, and the signature's form. A prefix such as `sha256=` is allowed. */
  signature?: {
    /** The header with the signature. */
    header: string;
    algorithm?: "sha256" | "sha512" | "sha1" | undefined;
    encoding?: "hex" | "base64" | undefined;
  } | null | undefined;
  /** The secret that the sender signs with. Left out for `github`, `standard` and `hmac`: one is made and shown once. For `stripe` and `slack` it can follow by `POST /v1/hooks/{hook_id}/rotate`, since they make it themselves. */
  secret?: string | null | undefined;
  /** What a delivery must hold to start a run: values by JSON pointer into `headers`, `query` and `body`. A value may be a list (one of them) or `{"not": …}`; null means absent. Other deliveries are answered 200 and start nothing. */
  filter?: Record<string, unknown> | null | undefined;
  /** The run's input. A text that is `{/body/issue/title}` becomes that value of the delivery, of any type; within a longer text it is inserted. Left out: the body. */
  map?: Record<string, unknown> | null | undefined;
  /** Deliveries for which this text is the same are one delivery, as in `{/body/id}`. Left out: the id that the sender gives its deliveries; with `hmac` and `none` each request is a delivery of its own. */
  dedupe?: string | null | undefined;
  /** The run's thread, as in `pr-{/body/number}`. A delivery without that value has no thread. */
  thread?: string | null | undefined;
  /** The delivery starts no run: it is a signal to one that waits, by `context.wait_for(name)`. `run_id` says where the delivery names the run, as in `{/body/data/object/metadata/run_id}`; it must be a run of the hook's owner. The payload is what `map` gives. */
  signal?: {
    run_id: string;
    name: string;
  } | null | undefined;
  /** accepted: 202 as soon as the run is stored. result: the result of the run, if it succeeds within 25 s; else as `accepted`. */
  respond?: "accepted" | "result" | undefined;
  description?: string | null | undefined;
  metadata?: Record<string, unknown> | null | undefined;
};

export type HookDelivery = {
  id: string;
  object: "hook_delivery";
  hook_id: string;
  /** The type of the event in the sender's words, where it tells one. */
  event: string | null;
  dedupe_key: string | null;
  /** accepted: it has started a run, or is kept as a signal to one. filtered: the hook's filter left it out. failed: nothing could come of it; see `error`. handshake: a test of the sender. pending: the run is being stored. */
  status: "pending" | "accepted" | "filtered" | "failed" | "handshake";
  run_id: string | null;
  error: {
    code: string;
    message: string;
  } | null;
  bytes: number;
  /** How often the same delivery came again. */
  repeats: number;
  /** How often `POST /v1/hooks/{hook_id}/replay` repeated it. */
  replays: number;
  created_at: string;
};

export type HookPatch = {
  /** An exact version, a tag, `current` or `latest`, looked up at each delivery. */
  version?: string | undefined;
  runtime_mode?: "standard" | "isolated" | "full" | undefined;
  /** For `hmac` only: the header, such as `X-Hub-Signature`, and the signature's form. A prefix such as `sha256=` is allowed. */
  signature?: {
    /** The header with the signature. */
    header: string;
    algorithm?: "sha256" | "sha512" | "sha1" | undefined;
    encoding?: "hex" | "base64" | undefined;
  } | undefined;
  /** What a delivery must hold to start a run: values by JSON pointer into `headers`, `query` and `body`. A value may be a list (one of them) or `{"not": …}`; null means absent. Other deliveries are answered 200 and start nothing. It is replaced as a whole. */
  filter?: Record<string, unknown> | null | undefined;
  /** The run's input. A text that is `{/body/issue/title}` becomes that value of the delivery, of any type; within a longer text it is inserted. Left out: the body. It is replaced as a whole. */
  map?: Record<string, unknown> | null | undefined;
  /** Deliveries for which this text is the same are one delivery, as in `{/body/id}`. Left out: the id that the sender gives its deliveries; with `hmac` and `none` each request is a delivery of its own. */
  dedupe?: string | null | undefined;
  /** The run's thread, as in `pr-{/body/number}`. A delivery without that value has no thread. */
  thread?: string | null | undefined;
  /** The delivery starts no run: it is a signal to one that waits, by `context.wait_for(name)`. `run_id` says where the delivery names the run, as in `{/body/data/object/metadata/run_id}`; it must be a run of the hook's owner. The payload is what `map` gives. It is replaced as a whole. */
  signal?: {
    run_id: string;
    name: string;
  } | null | undefined;
  /** accepted: 202 as soon as the run is stored. result: the result of the run, if it succeeds within 25 s; else as `accepted`. */
  respond?: "accepted" | "result" | undefined;
  /** The deliveries of a paused hook are refused with 409 `hook_paused`. */
  status?: "active" | "paused" | undefined;
  description?: string | null | undefined;
  /** Merged into the existing metadata. Null removes a key, or all metadata. */
  metadata?: Record<string, unknown> | null | undefined;
};

export type HookReceipt = {
  received: true;
  delivery_id: string;
  status: "pending" | "accepted" | "filtered" | "failed" | "handshake";
  run_id: string | null;
  /** True: the same delivery came before. */
  duplicate: boolean;
};

export type HookTest = {
  /** Whether the hook's filter lets it start a run. */
  matched: boolean;
  event: string | null;
  dedupe_key: string | null;
  thread_id: string | null;
  input_payload: Record<string, unknown> | null;
  /** What it would say to which run, of a hook that sends signals. */
  signal: {
    run_id: string;
    name: string;
    payload: unknown;
  } | null;
  /** Why such a delivery would start no run now. */
  error: {
    code: string;
    message: string;
  } | null;
};

export type HostedPage = {
  id: string;
  url: string;
};

export type InternalJob = {
  name: string;
  summary: string;
  /** Null: the job is only started by request. */
  every_ms: number | null;
  last_run: InternalJobTurn | null;
};

export type InternalJobTurn = {
  id: string;
  name: string;
  status: "running" | "success" | "error";
  /** `clock`, or the caller that started it. */
  triggered_by: string;
  dry_run: boolean;
  /** What the job did: numbers by name. */
  result: Record<string, number> | null;
  error: string | null;
  started_at: string;
  finished_at: string | null;
  duration_ms: number | null;
};

export type InternalJobs = {
  data: Array<InternalJob>;
};

export type InterruptAnswer = {
  /** The value that the agent's `interrupt()` returns. Any JSON. */
  response: unknown;
  /** The id of the interrupt. Left out: the open one. */
  interrupt_id?: string | null | undefined;
};

export type Invoice = {
  id: string;
  object: "invoice";
  user_id: string;
  number: string | null;
  /** The payment provider's status, such as `open` or `paid`. */
  status: string;
  currency: string;
  /** In the currency's smallest unit. */
  amount_due: number;
  amount_paid: number;
  period_start: string | null;
  period_end: string | null;
  hosted_url: string | null;
  provider_subscription_id: string | null;
  created_at: string;
  updated_at: string;
};

export type Job = {
  id: string;
  object: "job";
  user_id: string;
  agent_id: string;
  /** As in the request. `current`, `latest` and tags are resolved at each tick. */
  version: string;
  name: string | null;
  input_payload: Record<string, unknown>;
  env_names: Array<string>;
  file_names: Array<string>;
  thread_id: string | null;
  /** Null: the adapter in the version's config. */
  adapter_type: string | null;
  runtime_mode: string;
  lifecycle: string;
  callback_host: string | null;
  schedule: string | null;
  timezone: string;
  jitter_ms: number | null;
  overlap: "skip" | "allow" | "cancel_previous";
  catch_up: "none" | "last";
  /** completed: the job has no further ticks. */
  status: "active" | "paused" | "completed" | "cancelled";
  next_tick_at: string | null;
  last_tick: JobTick | null;
  ends_at: string | null;
  tags: Array<string>;
  metadata: Record<string, unknown>;
  created_at: string;
  updated_at: string;
};

export type JobBody = {
  /** The agent to run. */
  agent_id: string;
  /** An exact version, a tag, `current` or `latest`. */
  version: string;
  /** The input of the agent's `main`. */
  input_payload?: Record<string, unknown> | undefined;
  /** Environment variables. They are stored encrypted and deleted when the run ends. */
  env_vars?: Record<string, string> | undefined;
  /** Files by relative path. The content is text or a data URL of at most 5 MiB. The whole request has at most 6 MiB. */
  files?: Record<string, string> | undefined;
  history?: Array<unknown> | undefined;
  /** The state that an earlier run saved. The service does not interpret it. */
  state_snapshot?: string | undefined;
  /** The thread of the run. An unknown id creates a thread. */
  thread_id?: string | null | undefined;
  /** `python` or left out: the adapter in the version's config, else Python. Another one than the config's is a 422 `adapter_mismatch`. */
  adapter_type?: "python" | "custom" | "langchain" | "langgraph" | "crewai" | "node" | "command" | "process" | "http" | "container" | undefined;
  runtime_mode?: "standard" | "isolated" | "full" | undefined;
  lifecycle?: "serverless" | "interactive" | "daemon" | undefined;
  /** The metadata of the job's runs, together with `scheduled_at`. */
  metadata?: Record<string, unknown> | null | undefined;
  /** The client's own words for the run, by which lists are filtered. */
  tags?: Array<string> | undefined;
  /** This URL gets a POST when the run has ended. */
  completion_callback_url?: string | null | undefined;
  /** While runs wait, this one goes before its user's runs that came up to so many seconds earlier. */
  priority?: number | null | undefined;
  /** The run expires when no worker claims it within this time. */
  queue_ttl_ms?: number | null | undefined;
  /** The run ends as `timeout` after this time. */
  timeout_ms?: number | null | undefined;
  /** The run ends after so many lost workers, or so many tries of the config's `retry`. A drain and an answer start its agent again and aren't counted. */
  max_attempts?: number | null | undefined;
  /** What the run may cost. Calls by connections that don't fit are refused (402). Where no call was metered, a run that reports more is ended (`budget_exceeded`). */
  max_cost_usd?: number | null | undefined;
  /** The same for input and output tokens together. */
  max_tokens?: number | null | undefined;
  /** Of the agent's runs with this key, at most `key_concurrency` run at once. The others wait. */
  concurrency_key?: string | null | undefined;
  /** Left out: the `key_concurrency` of the agent's config, else 1. */
  key_concurrency?: number | null | undefined;
  name?: string | null | undefined;
  /** A cron expression (5 fields, or 6 with seconds), an interval such as `every 5m` (s, m, h, d), or an RFC 3339 time for a single run. Left out: a single run now. */
  schedule?: string | null | undefined;
  /** The IANA time zone of the cron expression. */
  timezone?: string | undefined;
  /** Each run of the schedule starts at its own, fixed moment within this time after its tick, so that jobs of the same hour don't start at once. */
  jitter_ms?: number | null | undefined;
  /** What happens at a tick while a run of the job has not ended. skip: the tick makes no run. allow: the new run is started besides the old one. cancel_previous: the old run is cancelled. */
  overlap?: "skip" | "allow" | "cancel_previous" | undefined;
  /** What happens to ticks that no worker fired for more than a minute. none: they are skipped. last: the last one fires. */
  catch_up?: "none" | "last" | undefined;
  /** The job has no ticks after this time. */
  ends_at?: string | null | undefined;
};

export type JobListItem = {
  id: string;
  object: "job";
  user_id: string;
  agent_id: string;
  /** As in the request. `current`, `latest` and tags are resolved at each tick. */
  version: string;
  name: string | null;
  input_payload?: Record<string, unknown> | undefined;
  env_names: Array<string>;
  file_names: Array<string>;
  thread_id: string | null;
  /** Null: the adapter in the version's config. */
  adapter_type: string | null;
  runtime_mode: string;
  lifecycle: string;
  callback_host: string | null;
  schedule: string | null;
  timezone: string;
  jitter_ms: number | null;
  overlap: "skip" | "allow" | "cancel_previous";
  catch_up: "none" | "last";
  /** completed: the job has no further ticks. */
  status: "active" | "paused" | "completed" | "cancelled";
  next_tick_at: string | null;
  last_tick: JobTick | null;
  ends_at: string | null;
  tags: Array<string>;
  metadata: Record<string, unknown>;
  created_at: string;
  updated_at: string;
};

export type JobPatch = {
  name?: string | null | undefined;
  version?: string | undefined;
  input_payload?: Record<string, unknown> | null | undefined;
  /** Merged by name. Null removes an entry, or all. */
  env_vars?: Record<string, unknown> | null | undefined;
  /** Merged by name. Null removes an entry, or all. */
  files?: Record<string, unknown> | null | undefined;
  history?: Array<unknown> | null | undefined;
  state_snapshot?: string | null | undefined;
  thread_id?: string | null | undefined;
  adapter_type?: "python" | "custom" | "langchain" | "langgraph" | "crewai" | "node" | "command" | "process" | "http" | "container" | null | undefined;
  runtime_mode?: "standard" | "isolated" | "full" | null | undefined;
  lifecycle?: "serverless" | "interactive" | "daemon" | null | undefined;
  completion_callback_url?: string | null | undefined;
  /** While runs wait, this one goes before its user's runs that came up to so many seconds earlier. */
  priority?: number | null | undefined;
  /** The run expires when no worker claims it within this time. */
  queue_ttl_ms?: number | null | undefined;
  /** The run ends as `timeout` after this time. */
  timeout_ms?: number | null | undefined;
  /** The run ends after so many lost workers, or so many tries of the config's `retry`. A drain and an answer start its agent again and aren't counted. */
  max_attempts?: number | null | undefined;
  /** What the run may cost. Calls by connections that don't fit are refused (402). Where no call was metered, a run that reports more is ended (`budget_exceeded`). */
  max_cost_usd?: number | null | undefined;
  /** The same for input and output tokens together. */
  max_tokens?: number | null | undefined;
  /** Of the agent's runs with this key, at most `key_concurrency` run at once. The others wait. */
  concurrency_key?: string | null | undefined;
  /** Left out: the `key_concurrency` of the agent's config, else 1. */
  key_concurrency?: number | null | undefined;
  /** A cron expression (5 fields, or 6 with seconds), an interval such as `every 5m` (s, m, h, d), or an RFC 3339 time for a single run. Left out: a single run now. */
  schedule?: string | null | undefined;
  timezone?: string | null | undefined;
  jitter_ms?: number | null | undefined;
  overlap?: "skip" | "allow" | "cancel_previous" | null | undefined;
  catch_up?: "none" | "last" | null | undefined;
  ends_at?: string | null | undefined;
  tags?: Array<string> | null | undefined;
  metadata?: Record<string, unknown> | null | undefined;
};

export type JobTick = {
  id: string;
  object: "job_tick";
  scheduled_at: string;
  /** fired: the tick made a run. skipped: the tick made no run; see `reason`. missed: no worker fired the tick in time. */
  outcome: "fired" | "skipped" | "missed";
  /** True: fired by `POST /v1/jobs/{job_id}/trigger`, not by the schedule. */
  manual: boolean;
  /** Why the tick was skipped, such as still_running, agent_not_active or owner_queue_full. */
  reason: string | null;
  run_id: string | null;
};

export type JournalEntry = {
  place: number;
  key: string;
  /** `step`, `question`, `timer`, `signal`, `late`, `messages`, `url` or `abandoned`. */
  kind: string;
  name: string;
  branch: string;
  position: number;
  /** A hash of the arguments. */
  args: string | null;
  ok: boolean;
  /** JSON, as the agent's process wrote it. */
  result: string | null;
  error: {
    type: string;
    module: string;
    message: string;
  } | null;
  /** The name of the signal that ended the wait. */
  signal: string | null;
};

export type LatencyDistribution = {
  agent_id: string;
  since: string;
  until: string;
  duration_ms: Distribution;
  queue_ms: Distribution;
};

export type Limits = {
  request: Record<string, number>;
  run: Record<string, number>;
  queue_ttl_ms: number;
  /** The limit of this key, or of its user where that is lower. Null: no limit. */
  requests_per_minute: number | null;
  open_runs: {
    queued: number;
    running: number;
  };
};

/** An event of a run with its id, after which a stream or a list goes on. */
export type ListedRunEvent = ({
  id: string;
}) & (RunEvent);

export type LogEvent = {
  type: "log";
  run_id: string;
  attempt: number;
  seq: number;
  ts: string;
  level: string;
  stream: "stderr" | "agent";
  message: string;
};

export type MessageAcceptedEvent = {
  type: "message.accepted";
  run_id: string;
  attempt: number;
  seq: number;
  ts: string;
  message_id: string;
  /** The sender's id, or `message_id`. */
  sent_id: string;
};

export type MessageRequest = {
  /** What the agent's `new_messages` returns: a text, or any other JSON. */
  payload: unknown;
  /** The sender's. A message of the same id is kept once. */
  id?: string | null | undefined;
};

export type MessageTakenEvent = {
  type: "message.taken";
  run_id: string;
  attempt: number;
  seq: number;
  ts: string;
  /** The same on every attempt. */
  key: string;
  message_ids: Array<string>;
};

export type NamespaceSearch = {
  /** Whose item. Left out: the caller's. */
  user_id?: string | null | undefined;
  /** Only namespaces that begin with it. `*` is any label. */
  prefix?: Array<string> | null | undefined;
  /** Only namespaces that end with it. `*` is any label. */
  suffix?: Array<string> | null | undefined;
  /** Namespaces are cut after so many labels. */
  max_depth?: number | null | undefined;
  limit?: number | undefined;
  offset?: number | undefined;
};

export type NewApiKey = {
  id: string;
  object: "api_key";
  user_id: string;
  name: string | null;
  scopes: Array<string>;
  run_id: string | null;
  requests_per_minute: number | null;
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  revoked_at: string | null;
  /** The key. Send it as `Authorization: Bearer <key>`, or as `X-Api-Key: <key>`. */
  key: string;
};

export type NewDaemon = {
  /** For start and restart: an exact version, a tag, `current` or `latest`. Null: not changed. */
  version?: string | null | undefined;
  /** For start and restart: the environment variables of the process, which are stored encrypted. Null: not changed. */
  env_vars?: Record<string, string> | null | undefined;
  /** The grace period in which the process may end by itself. Left out: 10 s. */
  grace_ms?: number | null | undefined;
  agent_id: string;
};

export type NewHook = {
  id: string;
  object: "hook";
  user_id: string;
  agent_id: string;
  version: string;
  runtime_mode: "standard" | "isolated" | "full";
  /** Where the sender POSTs its deliveries. Without PUBLIC_URL it is the path on this service. */
  url: string;
  verify: "github" | "stripe" | "slack" | "standard" | "hmac" | "none";
  signature: {
    header: string;
    algorithm: "sha256" | "sha512" | "sha1";
    encoding: "hex" | "base64";
  } | null;
  filter: Record<string, unknown> | null;
  map: Record<string, unknown> | null;
  dedupe: string | null;
  thread: string | null;
  signal: {
    run_id: string;
    name: string;
  } | null;
  /** False: deliveries are refused until a secret is set. The scheme `none` needs no secret. */
  has_secret: boolean;
  /** Until then the secret before the last rotation is accepted, too. */
  previous_secret_until: string | null;
  respond: "accepted" | "result";
  status: "active" | "paused";
  /** The last request that was no delivery, such as one with an invalid signature. */
  last_refusal: {
    at: string;
    code: string;
  } | null;
  description: string | null;
  metadata: Record<string, unknown>;
  created_at: string;
  updated_at: string;
  /** The secret if the service made it, to be set at the sender. It is only shown in this answer. */
  secret: string | null;
};

export type NewWebhook = {
  id: string;
  object: "webhook";
  user_id: string;
  url: string;
  description: string | null;
  events: Array<string>;
  agent_ids: Array<string>;
  statuses: Array<string>;
  tags: Array<string>;
  /** `disabled`: the service disabled the webhook; `disabled_reason` says why. */
  status: "active" | "paused" | "disabled";
  disabled_reason: string | null;
  /** The number of given up deliveries since the last successful one. */
  failures: number;
  metadata: Record<string, unknown>;
  created_at: string;
  updated_at: string;
  /** The secret of the Standard Webhooks signature. It is only shown in this answer. */
  secret: string;
};

export type Notification = {
  id: string;
  object: "notification";
  user_id: string;
  type: string;
  level: "info" | "warning" | "error";
  title: string;
  body: string | null;
  data: Record<string, unknown>;
  agent_id: string | null;
  run_id: string | null;
  dedup_key: string | null;
  created_at: string;
  read_at: string | null;
};

export type NotificationBody = {
  /** The user to notify. Left out: the caller. */
  user_id?: string | null | undefined;
  type: string;
  level?: "info" | "warning" | "error" | undefined;
  title: string;
  body?: string | null | undefined;
  data?: Record<string, unknown> | null | undefined;
  agent_id?: string | null | undefined;
  run_id?: string | null | undefined;
  /** A name for the cause. A second notification with the same key is not created. */
  dedup_key?: string | null | undefined;
};

/** A message of the stream of notifications. */
export type NotificationEvent = Notification;

export type NotificationMessage = {
  type: string;
  timestamp: string;
  data: {
    id: string;
    object: "notification";
    user_id: string;
    type: string;
    level: "info" | "warning" | "error";
    title: string;
    body: string | null;
    data: Record<string, unknown>;
    agent_id: string | null;
    run_id: string | null;
    dedup_key: string | null;
    created_at: string;
  };
};

export type NotificationPut = {
  read: boolean;
};

export type OutputDeltaEvent = {
  type: "output.delta";
  run_id: string;
  attempt: number;
  seq: number;
  ts: string;
  content: unknown;
};

export type PastState = {
  id: string;
  run_id: string;
  object: "thread_state";
  thread_id: string;
  status: "scheduled" | "queued" | "running" | "interrupted" | "suspended" | "success" | "error" | "timeout" | "cancelled" | "expired";
  state_snapshot: string | null;
  created_at: string;
  completed_at: string;
};

export type PausedAgent = {
  id: string;
  object: "agent";
  user_id: string;
  name: string;
  /** The version that is shown here. */
  version: string;
  current_version: string;
  status: "active" | "paused" | "archived";
  config: Record<string, unknown>;
  metadata: Record<string, unknown>;
  created_at: string;
  updated_at: string;
  cancelled_runs: number;
};

export type Payment = {
  id: string;
  object: "payment";
  user_id: string;
  /** `succeeded`, `failed` or `pending`. */
  status: string;
  currency: string;
  /** In the currency's smallest unit. */
  amount: number;
  amount_micro_usd: number | null;
  /** The part of the payment that is in the wallet. */
  wallet_micro_usd: number;
  refunded_amount: number;
  disputed: boolean;
  failure_message: string | null;
  description: string | null;
  provider_invoice_id: string | null;
  created_at: string;
  updated_at: string;
};

/** Exact within 9 %. Null: there are no values. */
export type Percentiles = {
  p50: number | null;
  p95: number | null;
  p99: number | null;
};

export type Plan = {
  id: string;
  object: "plan";
  name: string;
  /** Micro-USD: 1 USD is 1,000,000. */
  price_micro_usd: number;
  interval: string;
  provider_price_id: string | null;
  weekly_runs: number | null;
  weekly_micro_usd: number | null;
  max_concurrent_runs: number | null;
  max_queued_runs: number | null;
  requests_per_minute: number | null;
  prepaid: boolean;
  /** Micro-USD: 1 USD is 1,000,000. */
  second_micro_usd: number;
  active: boolean;
  created_at: string;
  updated_at: string;
};

export type PlanBody = {
  name: string;
  price_micro_usd?: number | undefined;
  interval?: "month" | "year" | undefined;
  /** The id of the plan's price at the payment provider. */
  provider_price_id?: string | null | undefined;
  /** Null: no limit. The same holds for the other limits. */
  weekly_runs?: number | null | undefined;
  weekly_micro_usd?: number | null | undefined;
  /** The largest number of runs that have not ended, including queued ones. */
  max_concurrent_runs?: number | null | undefined;
  /** The largest number of runs that wait in the queue, including delayed ones. */
  max_queued_runs?: number | null | undefined;
  /** Requests of each user with all keys together. Null: as RATE_LIMIT_PER_MINUTE says. */
  requests_per_minute?: number | null | undefined;
  /** True: runs are paid from the wallet, and an empty wallet refuses runs. */
  prepaid?: boolean | undefined;
  /** The price of a second of run time, in addition to the `cost_usd` that the agent reports. */
  second_micro_usd?: number | undefined;
  /** False: users can't choose the plan any more. */
  active?: boolean | undefined;
};

export type PortalBody = {
  /** The user. Left out: the caller. */
  user_id?: string | null | undefined;
  return_url: string;
};

export type Preferences = {
  user_id: string;
  preferences: Array<{
    type: string;
    in_app: boolean;
    webhook: boolean;
  }>;
};

export type PreferencesBody = {
  preferences: Array<{
    type: string;
    /** Show notifications of the type in the list and the stream. */
    in_app?: boolean | undefined;
    /** Send notifications of the type to webhooks that subscribe to it. */
    webhook?: boolean | undefined;
  }>;
};

export type Progress = {
  /** From 0 to 1. */
  value?: number | null | undefined;
  /** The run's new `current_status`. */
  message?: string | null | undefined;
};

export type ProgressEvent = {
  type: "progress";
  run_id: string;
  attempt: number;
  seq: number;
  ts: string;
  value: number | null;
  message: string | null;
};

export type PublishedAgent = {
  id: string;
  object: "agent";
  user_id: string;
  name: string;
  /** The version that is shown here. */
  version: string;
  current_version: string;
  status: "active" | "paused" | "archived";
  /** Left out when it has more than 16 KiB. */
  config?: Record<string, unknown> | undefined;
  metadata: Record<string, unknown>;
  created_at: string;
  updated_at: string;
  /** Keys of the config that the service doesn't read, and what has no effect. */
  warnings: Array<{
    code: string;
    message: string;
  }>;
};

export type PublishedVersion = {
  object: "agent_version";
  agent_id: string;
  version: string;
  status: "active" | "deprecated" | "archived";
  current: boolean;
  /** `building`: its runs wait. `failed`: its runs end with the build's error. `ready` without a build. */
  state: "building" | "ready" | "failed";
  tags: Array<string>;
  /** Left out when it has more than 16 KiB. */
  config?: Record<string, unknown> | undefined;
  created_at: string;
  /** Keys of the config that the service doesn't read, and what has no effect. */
  warnings: Array<{
    code: string;
    message: string;
  }>;
};

export type QueueState = {
  name: "runs" | "callbacks";
  paused: boolean;
  paused_by: string | null;
  paused_at: string | null;
  /** The number of queued runs, or of callbacks to be sent. */
  waiting: number;
  /** The number of running runs, or of callbacks that are being sent. */
  active: number;
  /** How long the oldest due entry has waited. */
  oldest_ms: number | null;
  /** The number of given up callbacks. */
  dead: number;
  /** The numbers of queue jobs in Redis. Null: Redis is unreachable. */
  nudges: Record<string, number> | null;
};

export type Queues = {
  data: Array<QueueState>;
};

export type ReadAnswer = {
  changed: number;
};

export type ReadNotifications = {
  ids: Array<string>;
};

export type RedeliverBody = {
  /** The one delivery to repeat. Left out: those since `since`. */
  delivery_id?: string | null | undefined;
  /** Deliveries of events at or after this time. */
  since?: string | null | undefined;
  /** Deliveries of events before this time. */
  until?: string | null | undefined;
  /** The `last_id` of the previous answer, while it says `has_more`. */
  after?: string | null | undefined;
  /** Which of them: by default those that were given up. */
  status?: "pending" | "delivered" | "exhausted" | undefined;
};

export type Redelivery = {
  object: "redelivery";
  redelivered: number;
  has_more: boolean;
  last_id: string | null;
};

export type ReplayBody = {
  /** Left out: the version of the old run. */
  version?: string | null | undefined;
  /** Replaces the input of the old run. */
  input_payload?: Record<string, unknown> | null | undefined;
  /** Where the new run goes on: `failed` (the steps that failed are done anew, results stay), a step (`charge#2`, or its key: it is done anew, and what was kept after it), or the id of an event (what was kept after it is done anew). Left out: from the beginning. */
  from?: string | null | undefined;
  /** Results that steps have instead of their own, by step. Needs `from`. */
  set?: Record<string, unknown> | null | undefined;
  /** Environment variables. They are stored encrypted and deleted when the run ends. */
  env_vars?: Record<string, string> | undefined;
  /** Files by relative path. The content is text or a data URL of at most 5 MiB. The whole request has at most 6 MiB. */
  files?: Record<string, string> | undefined;
  /** The state that an earlier run saved. The service does not interpret it. */
  state_snapshot?: string | undefined;
  /** This URL gets a POST when the run has ended. */
  completion_callback_url?: string | null | undefined;
};

export type ReplayDivergedEvent = {
  type: "replay.diverged";
  run_id: string;
  attempt: number;
  seq: number;
  ts: string;
  /** The same on every attempt. */
  key: string;
  name: string;
  /** What the run that is run again did here. */
  before: string;
  /** How many of its steps are done anew, or not at all. */
  dropped: number;
};

export type ReplayHookBody = {
  /** The one delivery to repeat. Left out: those since `since`. */
  delivery_id?: string | null | undefined;
  /** Deliveries of events at or after this time. */
  since?: string | null | undefined;
  /** Deliveries of events before this time. */
  until?: string | null | undefined;
  /** The `last_id` of the previous answer, while it says `has_more`. */
  after?: string | null | undefined;
  /** Which of them: by default those that could start no run. */
  status?: "failed" | "accepted" | "pending" | undefined;
};

export type ReplayedDeliveries = {
  /** The deliveries as they are now, each with its new run or its error. */
  data: Array<HookDelivery>;
  has_more: boolean;
  last_id: string | null;
};

export type ResumedRun = {
  id: string;
  run_id: string;
  object: "run";
  agent_id: string;
  version: string;
  thread_id: string | null;
  user_id: string;
  status: "scheduled" | "queued" | "running" | "interrupted" | "suspended" | "success" | "error" | "timeout" | "cancelled" | "expired";
  attempt: number;
  max_attempts: number;
  adapter_type: string;
  runtime_mode: string;
  lifecycle: string;
  input_payload: unknown;
  env_names: Array<string>;
  files: Array<{
    name: string;
    size: number;
    sha256: string;
  }>;
  result_content: unknown;
  error: {
    code: string;
    type: string | null;
    message: string;
    traceback: string | null;
  } | null;
  current_status: string | null;
  state_snapshot: string | null;
  usage: {
    input_tokens?: number | undefined;
    output_tokens?: number | undefined;
    cost_usd?: number | undefined;
    cpu_ms?: number | undefined;
    max_rss_bytes?: number | undefined;
    /** How many `tool.start` events the agent sent. */
    tool_calls?: number | undefined;
    /** What services counted of calls to connections. Then the tokens and the cost above are these. */
    metered?: {
      input_tokens?: number | undefined;
      output_tokens?: number | undefined;
      cost_usd?: number | undefined;
    } | undefined;
    /** With `metered`: what the agent said. */
    reported?: {
      input_tokens?: number | undefined;
      output_tokens?: number | undefined;
      cost_usd?: number | undefined;
    } | undefined;
  } | null;
  sandbox: {
    level: number;
    name: string;
    layers: Array<string>;
  } | null;
  worker_id: string | null;
  origin: "api" | "job" | "daemon" | "replay" | "run";
  replay_of: string | null;
  job_id: string | null;
  /** The run that has started it; null: none. */
  parent_run_id: string | null;
  /** The run at the root of its tree; null: it is none's child. */
  root_run_id: string | null;
  /** Whether it goes on when the run that has started it ends. */
  detached: boolean;
  tags: Array<string>;
  metadata: Record<string, unknown>;
  timeout_ms: number;
  /** What the run's request asked beside its input; null: nothing. */
  request_options: {
    priority?: number | undefined;
    queue_ttl_ms?: number | undefined;
    timeout_ms?: number | undefined;
    max_attempts?: number | undefined;
    max_cost_usd?: number | undefined;
    max_tokens?: number | undefined;
    concurrency_key?: string | undefined;
    key_concurrency?: number | undefined;
  } | null;
  /** Why the run waits, if the service knows. */
  wait_reason: "no_worker" | "concurrency_limit" | "concurrency_key" | "thread_busy" | "paused" | "building" | "retry" | "delay" | null;
  created_at: string;
  /** When a `scheduled` run is queued for its first or its next attempt. */
  scheduled_at: string | null;
  started_at: string | null;
  completed_at: string | null;
  queue_ms: number | null;
  duration_ms: number | null;
  /** What an interrupted run waits for; else empty. */
  interrupts: Array<{
    id: string;
    reason: string;
    message: string | null;
    response_schema: Record<string, unknown> | null;
    expires_at: string;
    /** The page on which a person answers, for whoever has this address. Without PUBLIC_URL it is the path on this service. Only those are told it who may resume the run. */
    answer_url?: string | undefined;
  }>;
  callback: RunCallback | null;
  /** The id of the event that asked. The stream goes on after it. */
  after: string;
};

export type Rollback = {
  agent_id: string;
  /** Null: the version that was published before the current one. */
  version?: string | null | undefined;
};

export type RotateHookBody = {
  /** The secret that the sender made. Left out: one is made, but for `stripe` and `slack`. */
  secret?: string | null | undefined;
  /** How long the previous secret is accepted, too. 0: no longer, as when it has leaked. */
  overlap_ms?: number | undefined;
};

export type Run = {
  id: string;
  run_id: string;
  object: "run";
  agent_id: string;
  version: string;
  thread_id: string | null;
  user_id: string;
  status: "scheduled" | "queued" | "running" | "interrupted" | "suspended" | "success" | "error" | "timeout" | "cancelled" | "expired";
  attempt: number;
  max_attempts: number;
  adapter_type: string;
  runtime_mode: string;
  lifecycle: string;
  input_payload: unknown;
  env_names: Array<string>;
  files: Array<{
    name: string;
    size: number;
    sha256: string;
  }>;
  result_content: unknown;
  error: {
    code: string;
    type: string | null;
    message: string;
    traceback: string | null;
  } | null;
  current_status: string | null;
  state_snapshot: string | null;
  usage: {
    input_tokens?: number | undefined;
    output_tokens?: number | undefined;
    cost_usd?: number | undefined;
    cpu_ms?: number | undefined;
    max_rss_bytes?: number | undefined;
    /** How many `tool.start` events the agent sent. */
    tool_calls?: number | undefined;
    /** What services counted of calls to connections. Then the tokens and the cost above are these. */
    metered?: {
      input_tokens?: number | undefined;
      output_tokens?: number | undefined;
      cost_usd?: number | undefined;
    } | undefined;
    /** With `metered`: what the agent said. */
    reported?: {
      input_tokens?: number | undefined;
      output_tokens?: number | undefined;
      cost_usd?: number | undefined;
    } | undefined;
  } | null;
  sandbox: {
    level: number;
    name: string;
    layers: Array<string>;
  } | null;
  worker_id: string | null;
  origin: "api" | "job" | "daemon" | "replay" | "run";
  replay_of: string | null;
  job_id: string | null;
  /** The run that has started it; null: none. */
  parent_run_id: string | null;
  /** The run at the root of its tree; null: it is none's child. */
  root_run_id: string | null;
  /** Whether it goes on when the run that has started it ends. */
  detached: boolean;
  tags: Array<string>;
  metadata: Record<string, unknown>;
  timeout_ms: number;
  /** What the run's request asked beside its input; null: nothing. */
  request_options: {
    priority?: number | undefined;
    queue_ttl_ms?: number | undefined;
    timeout_ms?: number | undefined;
    max_attempts?: number | undefined;
    max_cost_usd?: number | undefined;
    max_tokens?: number | undefined;
    concurrency_key?: string | undefined;
    key_concurrency?: number | undefined;
  } | null;
  /** Why the run waits, if the service knows. */
  wait_reason: "no_worker" | "concurrency_limit" | "concurrency_key" | "thread_busy" | "paused" | "building" | "retry" | "delay" | null;
  created_at: string;
  /** When a `scheduled` run is queued for its first or its next attempt. */
  scheduled_at: string | null;
  started_at: string | null;
  completed_at: string | null;
  queue_ms: number | null;
  duration_ms: number | null;
  /** What an interrupted run waits for; else empty. */
  interrupts: Array<{
    id: string;
    reason: string;
    message: string | null;
    response_schema: Record<string, unknown> | null;
    expires_at: string;
    /** The page on which a person answers, for whoever has this address. Without PUBLIC_URL it is the path on this service. Only those are told it who may resume the run. */
    answer_url?: string | undefined;
  }>;
  callback: RunCallback | null;
};

export type RunArtifacts = {
  data: Array<Artifact>;
};

export type RunBegunMessage = {
  type: "run.queued" | "run.started";
  timestamp: string;
  agent_id: string;
  version: string;
  run_id: string;
  thread_id: string | null;
  attempt: number;
  status: "scheduled" | "queued" | "running" | "interrupted" | "suspended" | "success" | "error" | "timeout" | "cancelled" | "expired";
};

export type RunCall = {
  id: string;
  object: "call";
  run_id: string;
  attempt: number;
  /** The number of the call in its attempt. */
  call: number;
  connection: string;
  method: string;
  host: string;
  path: string;
  /** Null: the service didn't answer. */
  status: number | null;
  model: string | null;
  /** metered: the service's own count. estimated: the answer was cut, or doesn't tell its usage. unknown: the call left and wasn't answered, and isn't billed. Null: the call has no tokens. */
  counted: "metered" | "estimated" | "unknown" | null;
  input_tokens: number;
  /** Of the input: what the service had in its cache. */
  cached_tokens: number;
  output_tokens: number;
  /** Null: the model's price isn't known. */
  cost_micro_usd: number | null;
  request_bytes: number;
  response_bytes: number;
  duration_ms: number;
  /** The answer came from the run's journal: nothing was sent. */
  recorded: boolean;
  /** When it ended. */
  created_at: string;
};

export type RunCallback = {
  url_host: string;
  status: "waiting" | "pending" | "delivered" | "exhausted";
  attempts: number;
  last_error: string | null;
  next_attempt_at: string | null;
};

export type RunCallbacks = {
  callback: RunCallback | null;
  data: Array<{
    try: number;
    status_code: number | null;
    error: string | null;
    /** What to do about the error, where that is known. */
    hint: string | null;
    duration_ms: number;
    at: string;
  }>;
};

export type RunCancelledEvent = {
  type: "run.cancelled";
  run_id: string;
  attempt: number;
  seq: number;
  ts: string;
  status: "success" | "error" | "timeout" | "cancelled" | "expired";
  result_content: unknown;
  error: {
    code: string;
    type: string | null;
    message: string;
    traceback: string | null;
  } | null;
  partial: unknown;
  state_snapshot: string | null;
  usage: {
    input_tokens?: number | undefined;
    output_tokens?: number | undefined;
    cost_usd?: number | undefined;
    cpu_ms?: number | undefined;
    max_rss_bytes?: number | undefined;
    /** How many `tool.start` events the agent sent. */
    tool_calls?: number | undefined;
    /** What services counted of calls to connections. Then the tokens and the cost above are these. */
    metered?: {
      input_tokens?: number | undefined;
      output_tokens?: number | undefined;
      cost_usd?: number | undefined;
    } | undefined;
    /** With `metered`: what the agent said. */
    reported?: {
      input_tokens?: number | undefined;
      output_tokens?: number | undefined;
      cost_usd?: number | undefined;
    } | undefined;
  } | null;
  duration_ms: number;
};

/** An event of a list of runs. Ignore types that you don't know. */
export type RunChangeEvent = RunChanged | RunChangesResync;

/** A run has moved from one status to another. */
export type RunChanged = {
  type: "run.changed";
  /** False: the run is no longer in the list that the filters describe. */
  matches: boolean;
  id: string;
  user_id: string;
  agent_id: string;
  version: string;
  thread_id: string | null;
  job_id: string | null;
  replay_of: string | null;
  worker_id: string | null;
  origin: "api" | "job" | "daemon" | "replay" | "run";
  status: "scheduled" | "queued" | "running" | "interrupted" | "suspended" | "success" | "error" | "timeout" | "cancelled" | "expired";
  attempt: number;
  max_attempts: number;
  /** The first 200 characters of the input as JSON. Null: there is none, or it is very large. */
  input_preview: string | null;
  error: {
    code: string;
    type: string | null;
    message: string;
  } | null;
  usage: {
    input_tokens?: number | undefined;
    output_tokens?: number | undefined;
    cost_usd?: number | undefined;
    cpu_ms?: number | undefined;
    max_rss_bytes?: number | undefined;
    /** How many `tool.start` events the agent sent. */
    tool_calls?: number | undefined;
    /** What services counted of calls to connections. Then the tokens and the cost above are these. */
    metered?: {
      input_tokens?: number | undefined;
      output_tokens?: number | undefined;
      cost_usd?: number | undefined;
    } | undefined;
    /** With `metered`: what the agent said. */
    reported?: {
      input_tokens?: number | undefined;
      output_tokens?: number | undefined;
      cost_usd?: number | undefined;
    } | undefined;
  } | null;
  created_at: string;
  scheduled_at: string | null;
  started_at: string | null;
  completed_at: string | null;
  queue_ms: number | null;
  duration_ms: number | null;
};

/** Changes before this event are not told. Read the list anew. */
export type RunChangesResync = {
  type: "resync";
  /** `start`: the stream begins here. `too_many`: more runs changed at once than the stream tells. `too_old`: too much has changed since the id that the stream was to go on after. */
  reason: "start" | "too_many" | "too_old";
};

export type RunCounts = {
  data: Array<{
    status: "scheduled" | "queued" | "running" | "interrupted" | "suspended" | "success" | "error" | "timeout" | "cancelled" | "expired";
    count: number;
    /** True: there are more than are counted. */
    more: boolean;
  }>;
};

export type RunEndedMessage = {
  type: "run.success" | "run.error" | "run.timeout" | "run.cancelled" | "run.expired";
  timestamp: string;
  agent_id: string;
  version: string;
  run_id: string;
  thread_id: string | null;
  attempt: number;
  status: "success" | "error" | "timeout" | "cancelled" | "expired";
  result_content: unknown;
  /** The result is too large: read `result_url`. */
  result_truncated?: true | undefined;
  result_url?: string | undefined;
  duration_ms: number | null;
  error: {
    code: string;
    type: string | null;
    message: string;
    traceback: string | null;
  } | null;
  usage: {
    input_tokens?: number | undefined;
    output_tokens?: number | undefined;
    cost_usd?: number | undefined;
    cpu_ms?: number | undefined;
    max_rss_bytes?: number | undefined;
    /** How many `tool.start` events the agent sent. */
    tool_calls?: number | undefined;
    /** What services counted of calls to connections. Then the tokens and the cost above are these. */
    metered?: {
      input_tokens?: number | undefined;
      output_tokens?: number | undefined;
      cost_usd?: number | undefined;
    } | undefined;
    /** With `metered`: what the agent said. */
    reported?: {
      input_tokens?: number | undefined;
      output_tokens?: number | undefined;
      cost_usd?: number | undefined;
    } | undefined;
  } | null;
  data: {
    id: string;
    run_id: string;
    object: "run";
    agent_id: string;
    version: string;
    thread_id: string | null;
    user_id: string;
    status: "scheduled" | "queued" | "running" | "interrupted" | "suspended" | "success" | "error" | "timeout" | "cancelled" | "expired";
    attempt: number;
    max_attempts: number;
    adapter_type: string;
    runtime_mode: string;
    lifecycle: string;
    result_content: unknown;
    error: {
      code: string;
      type: string | null;
      message: string;
      traceback: string | null;
    } | null;
    current_status: string | null;
    usage: {
      input_tokens?: number | undefined;
      output_tokens?: number | undefined;
      cost_usd?: number | undefined;
      cpu_ms?: number | undefined;
      max_rss_bytes?: number | undefined;
      /** How many `tool.start` events the agent sent. */
      tool_calls?: number | undefined;
      /** What services counted of calls to connections. Then the tokens and the cost above are these. */
      metered?: {
        input_tokens?: number | undefined;
        output_tokens?: number | undefined;
        cost_usd?: number | undefined;
      } | undefined;
      /** With `metered`: what the agent said. */
      reported?: {
        input_tokens?: number | undefined;
        output_tokens?: number | undefined;
        cost_usd?: number | undefined;
      } | undefined;
    } | null;
    sandbox: {
      level: number;
      name: string;
      layers: Array<string>;
    } | null;
    worker_id: string | null;
    origin: "api" | "job" | "daemon" | "replay" | "run";
    replay_of: string | null;
    job_id: string | null;
    /** The run that has started it; null: none. */
    parent_run_id: string | null;
    /** The run at the root of its tree; null: it is none's child. */
    root_run_id: string | null;
    /** Whether it goes on when the run that has started it ends. */
    detached: boolean;
    tags: Array<string>;
    metadata: Record<string, unknown>;
    timeout_ms: number;
    /** What the run's request asked beside its input; null: nothing. */
    request_options: {
      priority?: number | undefined;
      queue_ttl_ms?: number | undefined;
      timeout_ms?: number | undefined;
      max_attempts?: number | undefined;
      max_cost_usd?: number | undefined;
      max_tokens?: number | undefined;
      concurrency_key?: string | undefined;
      key_concurrency?: number | undefined;
    } | null;
    /** Why the run waits, if the service knows. */
    wait_reason: "no_worker" | "concurrency_limit" | "concurrency_key" | "thread_busy" | "paused" | "building" | "retry" | "delay" | null;
    created_at: string;
    /** When a `scheduled` run is queued for its first or its next attempt. */
    scheduled_at: string | null;
    started_at: string | null;
    completed_at: string | null;
    queue_ms: number | null;
    duration_ms: number | null;
  };
};

export type RunErrorEvent = {
  type: "run.error";
  run_id: string;
  attempt: number;
  seq: number;
  ts: string;
  status: "success" | "error" | "timeout" | "cancelled" | "expired";
  result_content: unknown;
  error: {
    code: string;
    type: string | null;
    message: string;
    traceback: string | null;
  } | null;
  partial: unknown;
  state_snapshot: string | null;
  usage: {
    input_tokens?: number | undefined;
    output_tokens?: number | undefined;
    cost_usd?: number | undefined;
    cpu_ms?: number | undefined;
    max_rss_bytes?: number | undefined;
    /** How many `tool.start` events the agent sent. */
    tool_calls?: number | undefined;
    /** What services counted of calls to connections. Then the tokens and the cost above are these. */
    metered?: {
      input_tokens?: number | undefined;
      output_tokens?: number | undefined;
      cost_usd?: number | undefined;
    } | undefined;
    /** With `metered`: what the agent said. */
    reported?: {
      input_tokens?: number | undefined;
      output_tokens?: number | undefined;
      cost_usd?: number | undefined;
    } | undefined;
  } | null;
  duration_ms: number;
};

/** An event of a run's stream: the JSON of a message's `data`. Ignore types that you don't know. */
export type RunEvent = RunQueuedEvent | RunWaitingEvent | RunStartedEvent | OutputDeltaEvent | LogEvent | ProgressEvent | ToolStartEvent | ToolEndEvent | ArtifactEvent | StateEvent | UsageEvent | CallStartEvent | CallMissedEvent | CallEndEvent | CustomEvent | StepStartEvent | StepRetryingEvent | StepCopiedEvent | ReplayDivergedEvent | StepEndEvent | WaitOpenedEvent | WaitEndedEvent | MessageAcceptedEvent | MessageTakenEvent | ChildStartedEvent | ChildEndedEvent | RunSuspendedEvent | RunInterruptedEvent | GapEvent | RunSuccessEvent | RunErrorEvent | RunTimeoutEvent | RunCancelledEvent | RunExpiredEvent;

export type RunEvents = {
  data: Array<ListedRunEvent>;
  has_more: boolean;
  first_id: string | null;
  last_id: string | null;
};

export type RunExpiredEvent = {
  type: "run.expired";
  run_id: string;
  attempt: number;
  seq: number;
  ts: string;
  status: "success" | "error" | "timeout" | "cancelled" | "expired";
  result_content: unknown;
  error: {
    code: string;
    type: string | null;
    message: string;
    traceback: string | null;
  } | null;
  partial: unknown;
  state_snapshot: string | null;
  usage: {
    input_tokens?: number | undefined;
    output_tokens?: number | undefined;
    cost_usd?: number | undefined;
    cpu_ms?: number | undefined;
    max_rss_bytes?: number | undefined;
    /** How many `tool.start` events the agent sent. */
    tool_calls?: number | undefined;
    /** What services counted of calls to connections. Then the tokens and the cost above are these. */
    metered?: {
      input_tokens?: number | undefined;
      output_tokens?: number | undefined;
      cost_usd?: number | undefined;
    } | undefined;
    /** With `metered`: what the agent said. */
    reported?: {
      input_tokens?: number | undefined;
      output_tokens?: number | undefined;
      cost_usd?: number | undefined;
    } | undefined;
  } | null;
  duration_ms: number;
};

export type RunInput = {
  id: string;
  kind: "signal" | "message";
  /** The signal's. A message has none. */
  name: string | null;
  /** The sender's id, or `id`. */
  sent_id: string;
  /** The agent's code got it, or gets it next. */
  taken: boolean;
  accepted_at: string;
};

export type RunInterruptedEvent = {
  type: "run.interrupted";
  run_id: string;
  attempt: number;
  seq: number;
  ts: string;
  interrupts: Array<{
    id: string;
    reason: string;
    message: string | null;
    response_schema: Record<string, unknown> | null;
    expires_at: string;
  }>;
  state_snapshot: string | null;
};

export type RunInterruptedMessage = {
  type: "run.interrupted";
  timestamp: string;
  agent_id: string;
  version: string;
  run_id: string;
  thread_id: string | null;
  attempt: number;
  status: "interrupted";
  interrupts: Array<{
    id: string;
    reason: string;
    message: string | null;
    response_schema: Record<string, unknown> | null;
    expires_at: string;
    /** The page on which a person answers, for whoever has this address. Without PUBLIC_URL it is the path on this service. Only those are told it who may resume the run. */
    answer_url?: string | undefined;
  }>;
};

export type RunJournal = {
  data: Array<JournalEntry>;
  /** What people have answered to the run's questions. */
  answers: Array<unknown>;
  /** With what the run has gone on (`continue_as`), and the journal has begun anew. */
  continued: {
    /** What the keys begin with. */
    leg: string;
    /** Null: the run's own input. */
    input_payload: unknown;
  } | null;
  has_more: boolean;
  last_place: number | null;
};

export type RunListItem = {
  id: string;
  run_id: string;
  object: "run";
  agent_id: string;
  version: string;
  thread_id: string | null;
  user_id: string;
  status: "scheduled" | "queued" | "running" | "interrupted" | "suspended" | "success" | "error" | "timeout" | "cancelled" | "expired";
  attempt: number;
  max_attempts: number;
  adapter_type: string;
  runtime_mode: string;
  lifecycle: string;
  input_payload?: unknown | undefined;
  env_names: Array<string>;
  files: Array<{
    name: string;
    size: number;
    sha256: string;
  }>;
  result_content?: unknown | undefined;
  error: {
    code: string;
    type: string | null;
    message: string;
    traceback: string | null;
  } | null;
  current_status: string | null;
  state_snapshot?: string | null | undefined;
  usage: {
    input_tokens?: number | undefined;
    output_tokens?: number | undefined;
    cost_usd?: number | undefined;
    cpu_ms?: number | undefined;
    max_rss_bytes?: number | undefined;
    /** How many `tool.start` events the agent sent. */
    tool_calls?: number | undefined;
    /** What services counted of calls to connections. Then the tokens and the cost above are these. */
    metered?: {
      input_tokens?: number | undefined;
      output_tokens?: number | undefined;
      cost_usd?: number | undefined;
    } | undefined;
    /** With `metered`: what the agent said. */
    reported?: {
      input_tokens?: number | undefined;
      output_tokens?: number | undefined;
      cost_usd?: number | undefined;
    } | undefined;
  } | null;
  sandbox: {
    level: number;
    name: string;
    layers: Array<string>;
  } | null;
  worker_id: string | null;
  origin: "api" | "job" | "daemon" | "replay" | "run";
  replay_of: string | null;
  job_id: string | null;
  /** The run that has started it; null: none. */
  parent_run_id: string | null;
  /** The run at the root of its tree; null: it is none's child. */
  root_run_id: string | null;
  /** Whether it goes on when the run that has started it ends. */
  detached: boolean;
  tags: Array<string>;
  metadata: Record<string, unknown>;
  timeout_ms: number;
  /** What the run's request asked beside its input; null: nothing. */
  request_options: {
    priority?: number | undefined;
    queue_ttl_ms?: number | undefined;
    timeout_ms?: number | undefined;
    max_attempts?: number | undefined;
    max_cost_usd?: number | undefined;
    max_tokens?: number | undefined;
    concurrency_key?: string | undefined;
    key_concurrency?: number | undefined;
  } | null;
  /** Why the run waits, if the service knows. */
  wait_reason: "no_worker" | "concurrency_limit" | "concurrency_key" | "thread_busy" | "paused" | "building" | "retry" | "delay" | null;
  created_at: string;
  /** When a `scheduled` run is queued for its first or its next attempt. */
  scheduled_at: string | null;
  started_at: string | null;
  completed_at: string | null;
  queue_ms: number | null;
  duration_ms: number | null;
  /** What an interrupted run waits for; else empty. */
  interrupts: Array<{
    id: string;
    reason: string;
    message: string | null;
    response_schema: Record<string, unknown> | null;
    expires_at: string;
    /** The page on which a person answers, for whoever has this address. Without PUBLIC_URL it is the path on this service. Only those are told it who may resume the run. */
    answer_url?: string | undefined;
  }>;
  callback: RunCallback | null;
  /** The first 200 characters of the input as JSON. Null: there is none, or it is very large. */
  input_preview: string | null;
  /** The first 200 characters of the result as JSON. Null: there is none, or it is very large. */
  result_preview: string | null;
};

export type RunLog = {
  id: string;
  ts: string;
  level: string;
  stream: string;
  message: string;
};

export type RunPatch = {
  metadata?: Record<string, unknown> | null | undefined;
};

export type RunQueuedEvent = {
  type: "run.queued";
  run_id: string;
  attempt: number;
  seq: number;
  ts: string;
  status: "scheduled" | "queued" | "running" | "interrupted" | "suspended" | "success" | "error" | "timeout" | "cancelled" | "expired";
  agent_id: string;
  version: string;
  thread_id: string | null;
  queue: {
    position: number | null;
    wait_reason: "no_worker" | "concurrency_limit" | "concurrency_key" | "thread_busy" | "paused" | "building" | "retry" | "delay" | null;
  };
  /** When a `scheduled` run is to be queued. */
  run_at?: string | undefined;
};

export type RunStartedEvent = {
  type: "run.started";
  run_id: string;
  attempt: number;
  seq: number;
  ts: string;
  worker_id: string;
  adapter_type: string;
  runtime_mode: string;
  lifecycle: string;
  sandbox: {
    level: number;
    name: string;
    layers: Array<string>;
  };
  /** The agent's code was loaded before the run. */
  warm: boolean;
  /** The process has executed earlier runs of this version (`reuse`). */
  reused?: boolean | undefined;
  /** The id of the previous event, if the worker knows it. */
  follows?: string | undefined;
  /** The attempt whose output is void. */
  discards?: {
    attempt: number;
    reason: string;
  } | undefined;
  /** Instead of `discards`: the id up to which the attempt before stands. Its later events are void. */
  keeps?: string | undefined;
  /** With `keeps`: ids of this and earlier attempts that are void. */
  voids?: Array<[string, string]> | undefined;
  /** With `keeps`: why the run started again. */
  reason?: string | undefined;
};

export type RunStep = {
  /** The order in which the run's steps were kept. */
  place: number;
  /** The same on every attempt, and of all tries of the step. */
  key: string;
  name: string;
  kind: "step" | "question" | "timer" | "signal" | "messages" | "url" | "child";
  /** Whose code did it: a task, a thread, a flow. Its parent's name is a prefix of it. */
  branch: string;
  /** The number of the call in its branch. */
  position: number;
  try: number;
  /** `retried`: another try follows. `failed`: the last try failed. `given_up`: the code stopped waiting for it. */
  state: "done" | "failed" | "retried" | "given_up";
  error: string | null;
  retry_at: string | null;
  /** The attempt of the run; 0: taken over from the run that was run again. */
  attempt: number;
  at: string;
};

export type RunSteps = {
  data: Array<RunStep>;
  has_more: boolean;
  last_place: number | null;
};

export type RunSuccessEvent = {
  type: "run.success";
  run_id: string;
  attempt: number;
  seq: number;
  ts: string;
  status: "success" | "error" | "timeout" | "cancelled" | "expired";
  result_content: unknown;
  error: {
    code: string;
    type: string | null;
    message: string;
    traceback: string | null;
  } | null;
  partial: unknown;
  state_snapshot: string | null;
  usage: {
    input_tokens?: number | undefined;
    output_tokens?: number | undefined;
    cost_usd?: number | undefined;
    cpu_ms?: number | undefined;
    max_rss_bytes?: number | undefined;
    /** How many `tool.start` events the agent sent. */
    tool_calls?: number | undefined;
    /** What services counted of calls to connections. Then the tokens and the cost above are these. */
    metered?: {
      input_tokens?: number | undefined;
      output_tokens?: number | undefined;
      cost_usd?: number | undefined;
    } | undefined;
    /** With `metered`: what the agent said. */
    reported?: {
      input_tokens?: number | undefined;
      output_tokens?: number | undefined;
      cost_usd?: number | undefined;
    } | undefined;
  } | null;
  duration_ms: number;
};

export type RunSuspendedEvent = {
  type: "run.suspended";
  run_id: string;
  attempt: number;
  seq: number;
  ts: string;
  /** What the run waits for, without a process. At most 100. */
  waits: Array<{
    kind: "timer" | "signal" | "child";
    name: string;
    /** When the wait ends by itself. */
    until: string | null;
    /** How many runs that it has started it waits for. */
    children?: number | undefined;
  }>;
};

export type RunTimeline = {
  data: Array<RunTransition>;
};

export type RunTimeoutEvent = {
  type: "run.timeout";
  run_id: string;
  attempt: number;
  seq: number;
  ts: string;
  status: "success" | "error" | "timeout" | "cancelled" | "expired";
  result_content: unknown;
  error: {
    code: string;
    type: string | null;
    message: string;
    traceback: string | null;
  } | null;
  partial: unknown;
  state_snapshot: string | null;
  usage: {
    input_tokens?: number | undefined;
    output_tokens?: number | undefined;
    cost_usd?: number | undefined;
    cpu_ms?: number | undefined;
    max_rss_bytes?: number | undefined;
    /** How many `tool.start` events the agent sent. */
    tool_calls?: number | undefined;
    /** What services counted of calls to connections. Then the tokens and the cost above are these. */
    metered?: {
      input_tokens?: number | undefined;
      output_tokens?: number | undefined;
      cost_usd?: number | undefined;
    } | undefined;
    /** With `metered`: what the agent said. */
    reported?: {
      input_tokens?: number | undefined;
      output_tokens?: number | undefined;
      cost_usd?: number | undefined;
    } | undefined;
  } | null;
  duration_ms: number;
};

export type RunTransition = {
  attempt: number;
  from: "scheduled" | "queued" | "running" | "interrupted" | "suspended" | "success" | "error" | "timeout" | "cancelled" | "expired" | null;
  to: "scheduled" | "queued" | "running" | "interrupted" | "suspended" | "success" | "error" | "timeout" | "cancelled" | "expired";
  /** client, worker or reconciler. For the first change: the run's origin. */
  actor: string;
  /** Who asked for the change: a key's id, `open` or `bootstrap`. Null: the service itself. */
  actor_id: string | null;
  reason: string | null;
  at: string;
};

export type RunTree = {
  /** The run at the root of the whole tree. */
  root_run_id: string;
  /** How many runs there are: this one and all below it. */
  runs: number;
  /** How many of them, by status. */
  by_status: Record<string, number>;
  /** Of all of them together. */
  usage: {
    input_tokens?: number | undefined;
    output_tokens?: number | undefined;
    cost_usd?: number | undefined;
    cpu_ms?: number | undefined;
    max_rss_bytes?: number | undefined;
    /** How many `tool.start` events the agent sent. */
    tool_calls?: number | undefined;
    /** What services counted of calls to connections. Then the tokens and the cost above are these. */
    metered?: {
      input_tokens?: number | undefined;
      output_tokens?: number | undefined;
      cost_usd?: number | undefined;
    } | undefined;
    /** With `metered`: what the agent said. */
    reported?: {
      input_tokens?: number | undefined;
      output_tokens?: number | undefined;
      cost_usd?: number | undefined;
    } | undefined;
  } | null;
  /** Those higher up first, at most 1,000. */
  data: Array<TreeRun>;
  has_more: boolean;
};

export type RunWaitingEvent = {
  type: "run.waiting";
  run_id: string;
  attempt: number;
  seq: number;
  ts: string;
  queue: {
    position: number | null;
    wait_reason: "no_worker" | "concurrency_limit" | "concurrency_key" | "thread_busy" | "paused" | "building" | "retry" | "delay" | null;
  };
  /** The error of the failed attempt, when the run waits for its retry. */
  error?: {
    code: string;
    type: string | null;
    message: string;
    traceback: string | null;
  } | undefined;
  retry_at?: string | undefined;
  /** The new time of a delayed run whose request was replaced. */
  run_at?: string | undefined;
};

export type SchedulePreview = {
  data: Array<{
    scheduled_at: string;
  }>;
};

export type SchedulePreviewBody = {
  /** A cron expression (5 fields, or 6 with seconds), an interval such as `every 5m` (s, m, h, d), or an RFC 3339 time for a single run. */
  schedule: string;
  /** The IANA time zone of the cron expression. */
  timezone?: string | undefined;
  /** The job has no ticks after this time. */
  ends_at?: string | null | undefined;
  /** How many ticks to show. Fewer come where the schedule has no more. */
  count?: number | undefined;
};

export type SecretBody = {
  value: string;
};

/** Paths of this server. */
export type Service = {
  name: "runfleet";
  version: string;
  docs: string;
  redoc: string;
  openapi: string;
  health: string;
};

export type ServiceConfig = {
  object: "config";
  data: Array<Setting>;
};

export type Session = {
  id: string;
  object: "session";
  user_id: string;
  principal: {
    kind: "key" | "bootstrap";
    /** The key's id. */
    id: string;
  };
  scopes: Array<string>;
  /** The address that signed in. */
  ip: string | null;
  /** The browser's own name. */
  user_agent: string | null;
  /** True for the session of this request. */
  is_current: boolean;
  created_at: string;
  /** Noted once a minute. */
  last_used_at: string;
  /** It ends earlier when nobody uses it for 12 hours. */
  expires_at: string;
};

export type SessionCode = {
  /** Signs one browser in, once. */
  code: string;
  expires_at: string;
};

export type SessionDepth = {
  agent_id: string;
  since: string;
  until: string;
  /** The number of threads that were created in the time range; at most the newest 5,000 are counted. */
  threads: number;
  mean: number | null;
  /** The number of threads for each number of runs. */
  depths: Array<{
    runs: number;
    threads: number;
  }>;
};

export type Setting = {
  name: string;
  /** False: the default holds. */
  is_set: boolean;
  /** Null: there is none, it is a list, or it may be a secret. */
  value: string | number | null;
};

export type SignIn = {
  /** An API key. */
  key?: string | null | undefined;
  /** A code of `POST /v1/sessions/codes`, instead of a key. */
  code?: string | null | undefined;
};

export type SignalRequest = {
  /** What the agent's `wait_for` returns. Left out: null. */
  payload?: unknown | undefined;
  /** The sender's. A signal of the same name and id is kept once. */
  id?: string | null | undefined;
};

export type SpendLimit = {
  period: "day" | "week" | "month";
  /** Micro-USD: 1 USD is 1,000,000. */
  amount_micro_usd: number;
  /** Micro-USD: 1 USD is 1,000,000. */
  spent_micro_usd: number;
  period_started_at: string;
  enforced: boolean;
};

export type SpendLimitBody = {
  /** The user. Left out: the caller. */
  user_id?: string | null | undefined;
  /** A calendar period in UTC. A week begins on Monday. */
  period?: "day" | "week" | "month" | undefined;
  /** Null removes the limit. */
  amount_micro_usd: number | null;
  /** True: runs beyond the limit are refused (402). False: the user is only notified. */
  enforced?: boolean | undefined;
};

export type StateEvent = {
  type: "state";
  run_id: string;
  attempt: number;
  seq: number;
  ts: string;
  state_snapshot: string;
};

export type StepCopiedEvent = {
  type: "step.copied";
  run_id: string;
  attempt: number;
  seq: number;
  ts: string;
  /** The same on every attempt. */
  key: string;
  name: string;
  try: number;
};

export type StepEndEvent = {
  type: "step.end";
  run_id: string;
  attempt: number;
  seq: number;
  ts: string;
  /** The same on every attempt. */
  key: string;
  name: string;
  try: number;
  ok: boolean;
  error: string | null;
  duration_ms: number | null;
};

export type StepRetryingEvent = {
  type: "step.retrying";
  run_id: string;
  attempt: number;
  seq: number;
  ts: string;
  /** The same on every attempt. */
  key: string;
  name: string;
  try: number;
  error: string | null;
  retry_at: string;
  /** Ranges of event ids, both ends included. */
  voids: Array<[string, string]>;
};

export type StepStartEvent = {
  type: "step.start";
  run_id: string;
  attempt: number;
  seq: number;
  ts: string;
  /** The same on every attempt. */
  key: string;
  name: string;
  try: number;
};

export type StoreItem = {
  object: "store_item";
  user_id: string;
  namespace: Array<string>;
  key: string;
  value: Record<string, unknown>;
  expires_at: string | null;
  created_at: string;
  updated_at: string;
};

export type StoreItemBody = {
  /** Whose item. Left out: the caller's. */
  user_id?: string | null | undefined;
  /** Labels from the widest to the narrowest. A label has no dot. */
  namespace: Array<string>;
  key: string;
  value: Record<string, unknown>;
  /** The item is deleted so many seconds after it was written, or was read with `refresh_ttl`. Left out: never. */
  ttl_seconds?: number | null | undefined;
};

export type StoreItems = {
  data: Array<StoreItem>;
  has_more: boolean;
};

export type StoreNamespaces = {
  data: Array<Array<string>>;
  has_more: boolean;
};

export type StoreSearch = {
  /** Whose item. Left out: the caller's. */
  user_id?: string | null | undefined;
  /** Only items below this namespace. */
  namespace_prefix?: Array<string> | undefined;
  /** Only items whose value has these fields. A field is compared with a JSON value, or with conditions: $eq, $ne, $gt, $gte, $lt, $lte. */
  filter?: Record<string, unknown> | null | undefined;
  limit?: number | undefined;
  offset?: number | undefined;
  /** False: reading the item doesn't prolong its life. */
  refresh_ttl?: boolean | undefined;
};

export type StudioAgent = {
  /** The number of ended runs. */
  runs: number;
  success: number;
  error: number;
  timeout: number;
  cancelled: number;
  expired: number;
  /** The share of successful runs among the ended runs. Null: no run has ended. */
  success_rate: number | null;
  /** The sum of all durations. */
  duration_ms: number;
  cpu_ms: number;
  input_tokens: number;
  output_tokens: number;
  cost_usd: number;
  agent_id: string;
  user_id: string;
  name: string;
  status: string;
  current_version: string;
  latency_ms: Percentiles;
  last_run_at: string | null;
};

export type StudioFigures = {
  since: string;
  until: string;
  unit: "hour" | "day" | "week" | "month";
  timezone: string;
  totals: {
    /** The number of ended runs. */
    runs: number;
    success: number;
    error: number;
    timeout: number;
    cancelled: number;
    expired: number;
    /** The share of successful runs among the ended runs. Null: no run has ended. */
    success_rate: number | null;
    /** The sum of all durations. */
    duration_ms: number;
    cpu_ms: number;
    input_tokens: number;
    output_tokens: number;
    cost_usd: number;
    latency_ms: Percentiles;
    queue_ms: Percentiles;
  };
  /** The current numbers of runs that have not ended. */
  open: {
    scheduled: number;
    queued: number;
    running: number;
    interrupted: number;
    suspended: number;
  };
  /** All buckets of the time range. A bucket without runs has zeros. */
  series: Array<FiguresBucket>;
};

export type Subscription = {
  id: string;
  object: "subscription";
  user_id: string;
  plan_id: string | null;
  /** Null: created here and not paid. */
  provider_subscription_id: string | null;
  status: "incomplete" | "incomplete_expired" | "trialing" | "active" | "past_due" | "unpaid" | "paused" | "canceled";
  current_period_start: string | null;
  current_period_end: string | null;
  trial_end: string | null;
  cancel_at_period_end: boolean;
  canceled_at: string | null;
  created_at: string;
  updated_at: string;
};

export type SubscriptionBody = {
  /** The user. Left out: the caller. */
  user_id?: string | null | undefined;
  plan_id: string;
};

export type TagBody = {
  version: string;
};

export type TestHookBody = {
  headers?: Record<string, string> | undefined;
  query?: Record<string, string> | undefined;
  body?: unknown | undefined;
  /** An earlier delivery, whose request is used instead. */
  delivery_id?: string | null | undefined;
};

export type Thread = {
  id: string;
  thread_id: string;
  object: "thread";
  user_id: string;
  agent_id: string | null;
  title: string | null;
  /** busy: a run is queued or running. interrupted: the last run waits for an answer. error: the last run failed. idle: otherwise. */
  status: "idle" | "busy" | "interrupted" | "error";
  tags: Array<string>;
  metadata: Record<string, unknown>;
  forked_from: string | null;
  created_at: string;
  updated_at: string;
};

export type ThreadBody = {
  /** Left out: the service makes an id. */
  thread_id?: string | null | undefined;
  /** The same as `thread_id`, as agents and users have it. */
  id?: string | null | undefined;
  /** The owner. Left out: the caller. */
  user_id?: string | null | undefined;
  /** The agent that the thread belongs to. Other agents can use the thread, too. */
  agent_id?: string | null | undefined;
  title?: string | null | undefined;
  metadata?: Record<string, unknown> | null | undefined;
  tags?: Array<string> | null | undefined;
  /** The state with which the first run starts. */
  state_snapshot?: string | null | undefined;
  /** If you have a thread with this id: `raise` is a 409, `do_nothing` returns that thread with 200. */
  if_exists?: "raise" | "do_nothing" | undefined;
};

export type ThreadMessage = {
  id: string;
  object: "thread_message";
  thread_id: string;
  run_id: string | null;
  /** user: the input of a run that ended. assistant: the result of a successful one, and what its agent said. */
  role: string;
  /** The input or the result of the run. */
  content: unknown;
  /** What the agent said: the text that it output. Null: none. */
  text: string | null;
  created_at: string;
};

export type ThreadPatch = {
  title?: string | null | undefined;
  /** Replaces the tags. Null removes them. */
  tags?: Array<string> | null | undefined;
  /** Merged into the existing metadata. Null removes a key, or all metadata. */
  metadata?: Record<string, unknown> | null | undefined;
};

export type ThreadState = {
  object: "thread_state";
  thread_id: string;
  state_snapshot: string | null;
  updated_at: string;
};

export type ThreadStateBody = {
  /** The state that the next run gets. Null: no state. */
  state_snapshot: string | null;
};

export type TickPreview = {
  data: Array<{
    scheduled_at: string;
    /** The time of the tick's run, which `jitter_ms` puts later. */
    run_at: string;
  }>;
};

export type TokenDistribution = {
  agent_id: string;
  since: string;
  until: string;
  tokens: Distribution;
};

export type ToolEndEvent = {
  type: "tool.end";
  run_id: string;
  attempt: number;
  seq: number;
  ts: string;
  call_id: string;
  result: unknown;
  error: string | null;
  duration_ms: number | null;
};

export type ToolStartEvent = {
  type: "tool.start";
  run_id: string;
  attempt: number;
  seq: number;
  ts: string;
  call_id: string;
  name: string;
  args: unknown;
};

export type Transaction = {
  id: string;
  object: "transaction";
  user_id: string;
  type: string;
  /** Positive: added to the wallet. Negative: taken from it. */
  amount_micro_usd: number;
  description: string | null;
  /** The cause of the booking: `payment`, `usage` or `manual`. */
  source: string;
  source_id: string;
  /** Double-entry bookkeeping: the entries sum to 0. */
  entries: Array<{
    account: string;
    /** Micro-USD: 1 USD is 1,000,000. */
    amount_micro_usd: number;
  }>;
  created_at: string;
};

export type TransactionBody = {
  user_id: string;
  /** Added to the wallet. A negative amount is taken from it. */
  amount_micro_usd: number;
  description?: string | null | undefined;
};

export type TreeRun = {
  id: string;
  parent_run_id: string | null;
  agent_id: string;
  version: string;
  status: "scheduled" | "queued" | "running" | "interrupted" | "suspended" | "success" | "error" | "timeout" | "cancelled" | "expired";
  /** How many runs are above it. */
  depth: number;
  /** Whether it goes on when the run that has started it ends. */
  detached: boolean;
  /** Its own. */
  usage: {
    input_tokens?: number | undefined;
    output_tokens?: number | undefined;
    cost_usd?: number | undefined;
    cpu_ms?: number | undefined;
    max_rss_bytes?: number | undefined;
    /** How many `tool.start` events the agent sent. */
    tool_calls?: number | undefined;
    /** What services counted of calls to connections. Then the tokens and the cost above are these. */
    metered?: {
      input_tokens?: number | undefined;
      output_tokens?: number | undefined;
      cost_usd?: number | undefined;
    } | undefined;
    /** With `metered`: what the agent said. */
    reported?: {
      input_tokens?: number | undefined;
      output_tokens?: number | undefined;
      cost_usd?: number | undefined;
    } | undefined;
  } | null;
  duration_ms: number | null;
  created_at: string;
  started_at: string | null;
  completed_at: string | null;
};

export type UnreadCount = {
  unread: number;
};

export type Upgrade = {
  agent_id: string;
  /** The new current version: an exact one, a tag or `latest`. */
  version: string;
};

export type Upgraded = {
  agent_id: string;
  previous_version: string;
  version: string;
  direction: "upgrade" | "downgrade" | "none";
  /** False: the version was current already. */
  changed: boolean;
  /** True: the version was published by this request, with a copy of the current config. */
  created: boolean;
  /** The agent's daemon, which is replaced and watched. Null: no daemon is running. */
  daemon: Daemon | null;
  upgraded_at: string;
};

export type UsageEntry = {
  id: string;
  run_id: string;
  agent_id: string;
  version: string;
  user_id: string;
  thread_id: string | null;
  job_id: string | null;
  status: string;
  error_code: string | null;
  duration_ms: number | null;
  cpu_ms: number;
  input_tokens: number;
  output_tokens: number;
  cost_usd: number;
  created_at: string;
  completed_at: string | null;
};

export type UsageEvent = {
  type: "usage";
  run_id: string;
  attempt: number;
  seq: number;
  ts: string;
  input_tokens?: number | undefined;
  output_tokens?: number | undefined;
  cost_usd?: number | undefined;
  cpu_ms?: number | undefined;
  max_rss_bytes?: number | undefined;
  /** Who says so: `reported` by the agent, or `metered` by the gateway, of all calls so far. */
  source?: "reported" | "metered" | undefined;
};

export type UsageRecord = {
  id: string;
  object: "usage";
  user_id: string;
  agent_id: string;
  version: string;
  run_id: string | null;
  duration_ms: number;
  cpu_ms: number;
  input_tokens: number;
  output_tokens: number;
  /** How many `tool.start` events the attempts sent that ended by themselves. Those of attempts that were lost or handed over are left out. */
  tool_calls: number;
  /** Micro-USD: 1 USD is 1,000,000. */
  cost_micro_usd: number;
  created_at: string;
  /** Null: not booked yet. */
  booked_at: string | null;
};

export type User = {
  id: string;
  object: "user";
  name: string | null;
  email: string | null;
  metadata: Record<string, unknown>;
  created_at: string;
  updated_at: string;
};

export type UserBody = {
  /** Left out: the service makes an id. */
  id?: string | null | undefined;
  name?: string | null | undefined;
  email?: string | null | undefined;
  metadata?: Record<string, unknown> | null | undefined;
};

export type UserPatch = {
  name?: string | null | undefined;
  email?: string | null | undefined;
  metadata?: Record<string, unknown> | null | undefined;
};

export type UserUsage = {
  user_id: string;
  since: string;
  until: string;
  runs: number;
  by_status: Record<string, number>;
  duration_ms: number;
  cpu_ms: number;
  input_tokens: number;
  output_tokens: number;
  cost_usd: number;
};

export type ValidateRequest = {
  /** The agent to run. */
  agent_id?: string | undefined;
  /** An exact version, a tag, `current` or `latest`. */
  version?: string | undefined;
  /** The input of the agent's `main`. */
  input_payload?: Record<string, unknown> | undefined;
  /** Environment variables. They are stored encrypted and deleted when the run ends. */
  env_vars?: Record<string, string> | undefined;
  /** Files by relative path. The content is text or a data URL of at most 5 MiB. The whole request has at most 6 MiB. */
  files?: Record<string, string> | undefined;
  history?: Array<unknown> | undefined;
  /** The state that an earlier run saved. The service does not interpret it. */
  state_snapshot?: string | undefined;
  /** The thread of the run. An unknown id creates a thread. */
  thread_id?: string | null | undefined;
  /** `python` or left out: the adapter in the version's config, else Python. Another one than the config's is a 422 `adapter_mismatch`. */
  adapter_type?: "python" | "custom" | "langchain" | "langgraph" | "crewai" | "node" | "command" | "process" | "http" | "container" | undefined;
  runtime_mode?: "standard" | "isolated" | "full" | undefined;
  lifecycle?: "serverless" | "interactive" | "daemon" | undefined;
  /** An id for the run, which no other run gets once it was executed, also when it is deleted. A repeated request with the same id and body attaches to the existing run. */
  run_id?: string | null | undefined;
  /** The client's own data on the run, by which lists are filtered. */
  metadata?: Record<string, unknown> | undefined;
  /** The client's own words for the run, by which lists are filtered. */
  tags?: Array<string> | undefined;
  /** This URL gets a POST when the run has ended. */
  completion_callback_url?: string | null | undefined;
  /** The run is queued after this time. */
  delay_ms?: number | null | undefined;
  /** The run is queued at this time. A time that has passed is now. */
  run_at?: string | null | undefined;
  /** The run is queued after `delay_ms`. A request for the same agent with the same key that comes earlier replaces the waiting run's request and starts its delay again; its answer is the same run. An `Idempotency-Key` is not looked at. */
  debounce?: {
    key: string;
    delay_ms: number;
  } | null | undefined;
  /** While runs wait, this one goes before its user's runs that came up to so many seconds earlier. */
  priority?: number | null | undefined;
  /** The run expires when no worker claims it within this time. */
  queue_ttl_ms?: number | null | undefined;
  /** The run ends as `timeout` after this time. */
  timeout_ms?: number | null | undefined;
  /** The run ends after so many lost workers, or so many tries of the config's `retry`. A drain and an answer start its agent again and aren't counted. */
  max_attempts?: number | null | undefined;
  /** What the run may cost. Calls by connections that don't fit are refused (402). Where no call was metered, a run that reports more is ended (`budget_exceeded`). */
  max_cost_usd?: number | null | undefined;
  /** The same for input and output tokens together. */
  max_tokens?: number | null | undefined;
  /** Of the agent's runs with this key, at most `key_concurrency` run at once. The others wait. */
  concurrency_key?: string | null | undefined;
  /** Left out: the `key_concurrency` of the agent's config, else 1. */
  key_concurrency?: number | null | undefined;
  /** A config to check as publishing would. The other fields are ignored then. */
  config?: {
    /** What is called: `main.py`, `main.py:name` or `agent.core:main`; `src/index.ts:main`. */
    entrypoint?: string | undefined;
    /** The text of a single file, stored under the entrypoint's file name, or as main.py or main.ts. */
    source?: string | undefined;
    /** The code: relative path → text or data URL. The command line reads it from the folder. */
    files?: Record<string, string> | undefined;
    /** Python packages, like `httpx>=0.27`; wheels only. The command line reads them from requirements.txt or pyproject.toml. */
    requirements?: Array<string> | undefined;
    /** For the adapter `command`: a program and its arguments. */
    command?: Array<string> | undefined;
    /** How the command's stdout is read: as text (default), or each line as an event. */
    output?: "text" | "ndjson" | undefined;
    /** For the adapter `http`: the URL of the agent. */
    url?: string | undefined;
    /** For the adapter `container`: one of those that the operator lists. */
    image?: string | undefined;
    /** What runs the agent: `python` (default), `node`, `command`, `http` or `container`. `custom`, `langchain`, `langgraph` and `crewai` mean `python`, `process` means `command`. */
    adapter_type?: "python" | "custom" | "langchain" | "langgraph" | "crewai" | "node" | "command" | "process" | "http" | "container" | undefined;
    /** The pool of workers that takes its runs, such as `gpu`; `default` if left out. Runs of a pool without workers wait. */
    pool?: string | undefined;
    /** How the agent's runs are isolated: `standard` (default), `isolated`, or `full` for runs with a network. A request may narrow it, and name it where the config doesn't. */
    runtime_mode?: "standard" | "isolated" | "full" | undefined;
    /** Environment variables, kept in clear. Keys belong in `secrets`. */
    env?: Record<string, string> | undefined;
    /** A run that exceeds a limit ends with that limit's error, and keeps what it said. */
    limits?: {
      /** How long a run may take. */
      timeout_ms?: number | undefined;
      /** A run that no worker claims within this time expires. */
      queue_ttl_ms?: number | undefined;
      /** The memory of a run and all of its processes. */
      memory_mb?: number | undefined;
      /** The CPU time of a run and all of its processes. */
      cpu_ms?: number | undefined;
      /** How many processes and threads a run may have. */
      pids?: number | undefined;
      /** How much a run may say. */
      output_bytes?: number | undefined;
      /** How much a run may write to its folders. */
      files_bytes?: number | undefined;
      /** How many events a run may send. */
      events?: number | undefined;
      [key: string]: unknown;
    } | undefined;
    /** The hosts that `full` runs and the daemon may reach: a host, `*.domain` or `*`; a port is only needed for others than 80 and 443. */
    network?: "none" | {
      allow: Array<string>;
    } | undefined;
    /** A run ends after so many lost workers. 3 by default. Drains and answers start it again and aren't counted. */
    max_attempts?: number | undefined;
    /** A run whose agent fails is tried again. The delay grows by `factor` each time; by default 1 s, 2 s, 4 s … 60 s. */
    retry?: {
      max_attempts: number;
      delay_ms?: number | undefined;
      factor?: number | undefined;
      max_delay_ms?: number | undefined;
      [key: string]: unknown;
    } | undefined;
    /** What a run may use. Calls by connections that don't fit are refused (402). Where no call was metered, a run that reports more is ended. US dollars; input and output tokens together. */
    budget?: {
      usd?: number | undefined;
      tokens?: number | undefined;
      /** What the calls of a run and of all runs that it starts, and they start, may cost together. */
      tree?: {
        usd?: number | undefined;
        tokens?: number | undefined;
        [key: string]: unknown;
      } | undefined;
      /** The same for all runs of a thread. */
      thread?: {
        usd?: number | undefined;
        tokens?: number | undefined;
        [key: string]: unknown;
      } | undefined;
      /** The same for all of the agent's runs on a day, in UTC. */
      agent_day?: {
        usd?: number | undefined;
        tokens?: number | undefined;
        [key: string]: unknown;
      } | undefined;
      [key: string]: unknown;
    } | undefined;
    /** How many of the agent's runs may run at the same time. The others wait. */
    concurrency?: number | undefined;
    /** One process executes the version's runs one after another, so that modules, connections and threads stay. For Python and Node. A run that is `isolated` or brings files of its own has a process of its own all the same. */
    reuse?: boolean | undefined;
    /** How many of the agent's runs with the same `concurrency_key` may run at the same time. */
    key_concurrency?: number | undefined;
    /** How long a run that is cancelled or out of time may take to end by itself. 2000 by default; 0 kills at once. */
    stop_grace_ms?: number | undefined;
    /** How long the process of an `interactive` thread waits for the next run. 5 minutes by default. */
    idle_timeout_ms?: number | undefined;
    /** A run whose thread is busy: `enqueue` (default): it waits. `reject`: it is refused. `interrupt`: the runs before it are cancelled. */
    multitask_strategy?: "enqueue" | "reject" | "interrupt" | undefined;
    /** Who may answer its questions by their page. `link` (default): whoever has the address. `key`: with an API key, too. `off`: nobody. */
    answer_page?: "link" | "key" | "off" | undefined;
    /** A JSON Schema of the input: a mismatch is a 422. `default`s of its properties are filled in. */
    input_schema?: Record<string, unknown> | undefined;
    /** A JSON Schema of the result: a mismatch ends the run as an error. */
    output_schema?: Record<string, unknown> | undefined;
    /** Names of secrets that its runs get as environment variables. */
    secrets?: Array<string> | undefined;
    /** Names of connections: services that its runs may call by the gateway, which adds the keys. */
    connections?: Array<string> | undefined;
    /** Calls by connections that leave only once a person has said yes. What a rule leaves out may be anything; `*` in a path stands for any characters. */
    approvals?: Array<{
      method?: string | undefined;
      host?: string | undefined;
      path?: string | undefined;
    }> | undefined;
    [key: string]: unknown;
  } | null | undefined;
};

export type Validation = {
  valid: true;
  agent_id: string | null;
  /** The exact version that the run would have. Null: a `config` was checked. */
  version: string | null;
  entrypoint: string | null;
  warnings: Array<{
    code: string;
    message: string;
  }>;
};

export type ValidationError = {
  loc: Array<string | number>;
  msg: string;
  type: string;
  input?: unknown | undefined;
  ctx?: Record<string, unknown> | undefined;
};

export type VersionBody = {
  /** Left out: `1.0.0` for a new agent. Another version is named by its content: the highest release, `+`, and 8 digits of the content's SHA-256. The same content is the same version. */
  version?: string | undefined;
  /** True: a version left out is a development version, `0.0.0-dev.` and 8 digits. `latest` and a rollback pass it over. */
  dev?: boolean | undefined;
  /** True: also make the version the current one, as `POST /v1/upgrade` does. */
  make_current?: boolean | undefined;
  config?: {
    /** What is called: `main.py`, `main.py:name` or `agent.core:main`; `src/index.ts:main`. */
    entrypoint?: string | undefined;
    /** The text of a single file, stored under the entrypoint's file name, or as main.py or main.ts. */
    source?: string | undefined;
    /** The code: relative path → text or data URL. The command line reads it from the folder. */
    files?: Record<string, string> | undefined;
    /** Python packages, like `httpx>=0.27`; wheels only. The command line reads them from requirements.txt or pyproject.toml. */
    requirements?: Array<string> | undefined;
    /** For the adapter `command`: a program and its arguments. */
    command?: Array<string> | undefined;
    /** How the command's stdout is read: as text (default), or each line as an event. */
    output?: "text" | "ndjson" | undefined;
    /** For the adapter `http`: the URL of the agent. */
    url?: string | undefined;
    /** For the adapter `container`: one of those that the operator lists. */
    image?: string | undefined;
    /** What runs the agent: `python` (default), `node`, `command`, `http` or `container`. `custom`, `langchain`, `langgraph` and `crewai` mean `python`, `process` means `command`. */
    adapter_type?: "python" | "custom" | "langchain" | "langgraph" | "crewai" | "node" | "command" | "process" | "http" | "container" | undefined;
    /** The pool of workers that takes its runs, such as `gpu`; `default` if left out. Runs of a pool without workers wait. */
    pool?: string | undefined;
    /** How the agent's runs are isolated: `standard` (default), `isolated`, or `full` for runs with a network. A request may narrow it, and name it where the config doesn't. */
    runtime_mode?: "standard" | "isolated" | "full" | undefined;
    /** Environment variables, kept in clear. Keys belong in `secrets`. */
    env?: Record<string, string> | undefined;
    /** A run that exceeds a limit ends with that limit's error, and keeps what it said. */
    limits?: {
      /** How long a run may take. */
      timeout_ms?: number | undefined;
      /** A run that no worker claims within this time expires. */
      queue_ttl_ms?: number | undefined;
      /** The memory of a run and all of its processes. */
      memory_mb?: number | undefined;
      /** The CPU time of a run and all of its processes. */
      cpu_ms?: number | undefined;
      /** How many processes and threads a run may have. */
      pids?: number | undefined;
      /** How much a run may say. */
      output_bytes?: number | undefined;
      /** How much a run may write to its folders. */
      files_bytes?: number | undefined;
      /** How many events a run may send. */
      events?: number | undefined;
      [key: string]: unknown;
    } | undefined;
    /** The hosts that `full` runs and the daemon may reach: a host, `*.domain` or `*`; a port is only needed for others than 80 and 443. */
    network?: "none" | {
      allow: Array<string>;
    } | undefined;
    /** A run ends after so many lost workers. 3 by default. Drains and answers start it again and aren't counted. */
    max_attempts?: number | undefined;
    /** A run whose agent fails is tried again. The delay grows by `factor` each time; by default 1 s, 2 s, 4 s … 60 s. */
    retry?: {
      max_attempts: number;
      delay_ms?: number | undefined;
      factor?: number | undefined;
      max_delay_ms?: number | undefined;
      [key: string]: unknown;
    } | undefined;
    /** What a run may use. Calls by connections that don't fit are refused (402). Where no call was metered, a run that reports more is ended. US dollars; input and output tokens together. */
    budget?: {
      usd?: number | undefined;
      tokens?: number | undefined;
      /** What the calls of a run and of all runs that it starts, and they start, may cost together. */
      tree?: {
        usd?: number | undefined;
        tokens?: number | undefined;
        [key: string]: unknown;
      } | undefined;
      /** The same for all runs of a thread. */
      thread?: {
        usd?: number | undefined;
        tokens?: number | undefined;
        [key: string]: unknown;
      } | undefined;
      /** The same for all of the agent's runs on a day, in UTC. */
      agent_day?: {
        usd?: number | undefined;
        tokens?: number | undefined;
        [key: string]: unknown;
      } | undefined;
      [key: string]: unknown;
    } | undefined;
    /** How many of the agent's runs may run at the same time. The others wait. */
    concurrency?: number | undefined;
    /** One process executes the version's runs one after another, so that modules, connections and threads stay. For Python and Node. A run that is `isolated` or brings files of its own has a process of its own all the same. */
    reuse?: boolean | undefined;
    /** How many of the agent's runs with the same `concurrency_key` may run at the same time. */
    key_concurrency?: number | undefined;
    /** How long a run that is cancelled or out of time may take to end by itself. 2000 by default; 0 kills at once. */
    stop_grace_ms?: number | undefined;
    /** How long the process of an `interactive` thread waits for the next run. 5 minutes by default. */
    idle_timeout_ms?: number | undefined;
    /** A run whose thread is busy: `enqueue` (default): it waits. `reject`: it is refused. `interrupt`: the runs before it are cancelled. */
    multitask_strategy?: "enqueue" | "reject" | "interrupt" | undefined;
    /** Who may answer its questions by their page. `link` (default): whoever has the address. `key`: with an API key, too. `off`: nobody. */
    answer_page?: "link" | "key" | "off" | undefined;
    /** A JSON Schema of the input: a mismatch is a 422. `default`s of its properties are filled in. */
    input_schema?: Record<string, unknown> | undefined;
    /** A JSON Schema of the result: a mismatch ends the run as an error. */
    output_schema?: Record<string, unknown> | undefined;
    /** Names of secrets that its runs get as environment variables. */
    secrets?: Array<string> | undefined;
    /** Names of connections: services that its runs may call by the gateway, which adds the keys. */
    connections?: Array<string> | undefined;
    /** Calls by connections that leave only once a person has said yes. What a rule leaves out may be anything; `*` in a path stands for any characters. */
    approvals?: Array<{
      method?: string | undefined;
      host?: string | undefined;
      path?: string | undefined;
    }> | undefined;
    [key: string]: unknown;
  } | null | undefined;
};

export type VersionDiff = {
  agent_id: string;
  from: string;
  to: string;
  changes: Array<{
    path: Array<string | number>;
    op: "added" | "removed" | "changed";
    before: unknown;
    after: unknown;
  }>;
  /** True: there are more changes than the first 1,000, which are listed. */
  has_more: boolean;
};

export type VersionPatch = {
  /** An archived version takes no new runs. */
  status?: "active" | "deprecated" | "archived" | undefined;
};

export type WaitEndedEvent = {
  type: "wait.ended";
  run_id: string;
  attempt: number;
  seq: number;
  ts: string;
  /** The same on every attempt. */
  key: string;
  name: string;
  by: "timer" | "signal" | "timeout";
  /** The name of the signal that ended it. */
  signal: string | null;
};

export type WaitOpenedEvent = {
  type: "wait.opened";
  run_id: string;
  attempt: number;
  seq: number;
  ts: string;
  /** The same on every attempt. */
  key: string;
  kind: "timer" | "signal";
  name: string;
  /** When the wait ends by itself. */
  until: string | null;
};

export type Wallet = {
  object: "wallet";
  user_id: string;
  /** Micro-USD: 1 USD is 1,000,000. */
  balance_micro_usd: number;
  /** Null: no plan limits the user. */
  plan: Plan | null;
  week: {
    started_at: string;
    ends_at: string;
    runs: number;
    /** Micro-USD: 1 USD is 1,000,000. */
    micro_usd: number;
  };
  spend_limits: Array<SpendLimit>;
};

export type Webhook = {
  id: string;
  object: "webhook";
  user_id: string;
  url: string;
  description: string | null;
  events: Array<string>;
  agent_ids: Array<string>;
  statuses: Array<string>;
  tags: Array<string>;
  /** `disabled`: the service disabled the webhook; `disabled_reason` says why. */
  status: "active" | "paused" | "disabled";
  disabled_reason: string | null;
  /** The number of given up deliveries since the last successful one. */
  failures: number;
  metadata: Record<string, unknown>;
  created_at: string;
  updated_at: string;
};

export type WebhookBody = {
  /** The user whose events are sent. Left out: the caller. */
  user_id?: string | null | undefined;
  /** A public http or https URL. Private addresses are refused. */
  url: string;
  /** Event types such as `run.success`, `run.*`, `daemon.failed` or `notification.*`. `*` means all events, but for `run.queued` and `run.started`: these must be named. */
  events?: Array<string> | undefined;
  /** Only events of these agents. Empty: of all, and those of no agent. */
  agent_ids?: Array<string> | undefined;
  /** Of the events of runs, only those of runs with one of these statuses. Empty: of all. */
  statuses?: Array<"scheduled" | "queued" | "running" | "interrupted" | "suspended" | "success" | "error" | "timeout" | "cancelled" | "expired"> | undefined;
  /** Of the events of runs, only those of runs with one of these tags. Empty: of all. */
  tags?: Array<string> | undefined;
  description?: string | null | undefined;
  metadata?: Record<string, unknown> | null | undefined;
};

export type WebhookEventReceived = {
  received: true;
  duplicate?: boolean | undefined;
};

/** The body of a request to a webhook. `type` says which one it is. */
export type WebhookMessage = RunEndedMessage | RunBegunMessage | RunInterruptedMessage | DaemonMessageToWebhook | NotificationMessage | WebhookTestMessage;

export type WebhookPatch = {
  url?: string | undefined;
  events?: Array<string> | undefined;
  /** Only events of these agents. Empty: of all, and those of no agent. */
  agent_ids?: Array<string> | undefined;
  /** Of the events of runs, only those of runs with one of these statuses. Empty: of all. */
  statuses?: Array<"scheduled" | "queued" | "running" | "interrupted" | "suspended" | "success" | "error" | "timeout" | "cancelled" | "expired"> | undefined;
  /** Of the events of runs, only those of runs with one of these tags. Empty: of all. */
  tags?: Array<string> | undefined;
  description?: string | null | undefined;
  /** `active` enables a paused or disabled webhook. */
  status?: "active" | "paused" | undefined;
  /** Merged into the existing metadata. Null removes a key, or all metadata. */
  metadata?: Record<string, unknown> | null | undefined;
};

export type WebhookSecret = {
  webhook_id: string;
  /** The secret of the Standard Webhooks signature. It is only shown in this answer. */
  secret: string;
};

export type WebhookTestMessage = {
  type: "webhook.test";
  timestamp: string;
  data: {
    webhook_id: string;
  };
};

export type WorkerSandbox = {
  level: number;
  name: string;
  layers: Array<string>;
  missing: Array<string>;
};
