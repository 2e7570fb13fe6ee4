// Written by `npm run openapi` from docs/openapi.json. Do not edit.
import type { Binary, CallOptions } from "../request.ts";
import type { Pages } from "../pages.ts";
import type {
  AcceptedInput,
  Adapters,
  AdminOverview,
  AdminUser,
  Agent,
  AgentBody,
  AgentErrors,
  AgentListItem,
  AgentPatch,
  AgentSecret,
  AgentSecrets,
  AgentStats,
  AgentVersion,
  AgentVersionListItem,
  ApiKey,
  ApiKeyBody,
  AskingRun,
  AuditEntry,
  Backfill,
  BackfillBody,
  BatchResult,
  BillingEvent,
  Build,
  BuildEvent,
  BulkCancelBody,
  BulkOperation,
  BulkPreview,
  BulkReplayBody,
  CallbackSecret,
  CheckoutBody,
  CompletedRun,
  Completion,
  Connection,
  ConnectionBody,
  Costs,
  CurrentSession,
  Daemon,
  DaemonControl,
  DaemonControlled,
  DaemonEvent,
  DaemonLogLine,
  DaemonMessage,
  DaemonSettings,
  DaemonStop,
  DeadLetter,
  Delivery,
  DismissedWorker,
  ErrorGroupDetails,
  ErrorGroupPatch,
  ErrorGroups,
  ExecuteBatch,
  ExecuteRequest,
  Fleet,
  FleetHistory,
  ForkBody,
  Health,
  Hook,
  HookBody,
  HookDelivery,
  HookPatch,
  HookTest,
  HostedPage,
  InternalJobTurn,
  InternalJobs,
  InterruptAnswer,
  Invoice,
  Job,
  JobBody,
  JobListItem,
  JobPatch,
  JobTick,
  LatencyDistribution,
  Limits,
  ListedRunEvent,
  MessageRequest,
  NamespaceSearch,
  NewApiKey,
  NewDaemon,
  NewHook,
  NewWebhook,
  Notification,
  NotificationBody,
  NotificationEvent,
  NotificationPut,
  PastState,
  PausedAgent,
  Payment,
  Plan,
  PlanBody,
  PortalBody,
  Preferences,
  PreferencesBody,
  Progress,
  PublishedAgent,
  PublishedVersion,
  QueueState,
  Queues,
  ReadAnswer,
  ReadNotifications,
  RedeliverBody,
  Redelivery,
  ReplayBody,
  ReplayHookBody,
  ReplayedDeliveries,
  ResumedRun,
  Rollback,
  RotateHookBody,
  Run,
  RunArtifacts,
  RunCall,
  RunCallbacks,
  RunChangeEvent,
  RunCounts,
  RunEvent,
  RunInput,
  RunJournal,
  RunListItem,
  RunLog,
  RunPatch,
  RunStep,
  RunTimeline,
  RunTree,
  SchedulePreview,
  SchedulePreviewBody,
  SecretBody,
  Service,
  ServiceConfig,
  Session,
  SessionCode,
  SessionDepth,
  SignIn,
  SignalRequest,
  SpendLimitBody,
  StoreItem,
  StoreItemBody,
  StoreItems,
  StoreNamespaces,
  StoreSearch,
  StudioAgent,
  StudioFigures,
  Subscription,
  SubscriptionBody,
  TagBody,
  TestHookBody,
  Thread,
  ThreadBody,
  ThreadMessage,
  ThreadPatch,
  ThreadState,
  ThreadStateBody,
  TickPreview,
  TokenDistribution,
  Transaction,
  TransactionBody,
  UnreadCount,
  Upgrade,
  Upgraded,
  UsageEntry,
  UsageRecord,
  User,
  UserBody,
  UserPatch,
  UserUsage,
  ValidateRequest,
  Validation,
  VersionBody,
  VersionDiff,
  VersionPatch,
  Wallet,
  Webhook,
  WebhookBody,
  WebhookPatch,
  WebhookSecret,
} from "./types.ts";

/** Method, path, and what the client has to know: see `call-operation.ts`. */
export const operations = {
  execute: {
    executeAgent: "POST /v1/execute body query keyed async",
    executeBatch: "POST /v1/execute/batch body keyed",
    validate: "POST /v1/validate body query",
    listAdapters: "GET /v1/adapters",
  },
  runs: {
    bulkCancel: "POST /v1/runs/bulk/cancel body keyed",
    bulkReplay: "POST /v1/runs/bulk/replay body keyed",
    listBulkOperations: "GET /v1/runs/bulk query page",
    getBulkOperation: "GET /v1/runs/bulk/{bulk_id}",
    replay: "POST /v1/runs/{run_id}/replay body keyed",
    list: "GET /v1/runs query page",
    count: "GET /v1/runs/count query",
    streamChanges: "GET /v1/runs/stream query stream",
    listInterrupts: "GET /v1/interrupts query page",
    get: "GET /v1/runs/{run_id} query",
    update: "PATCH /v1/runs/{run_id} body",
    delete: "DELETE /v1/runs/{run_id}",
    stream: "GET /v1/runs/{run_id}/stream query stream",
    listEvents: "GET /v1/runs/{run_id}/events query page",
    listLogs: "GET /v1/runs/{run_id}/logs query page",
    listTimeline: "GET /v1/runs/{run_id}/timeline query",
    listSteps: "GET /v1/runs/{run_id}/steps query page",
    getJournal: "GET /v1/runs/{run_id}/journal query",
    getTree: "GET /v1/runs/{run_id}/tree",
    listCalls: "GET /v1/runs/{run_id}/calls query page",
    listCallbacks: "GET /v1/runs/{run_id}/callbacks",
    redeliverCallback: "POST /v1/runs/{run_id}/callbacks/redeliver",
    listArtifacts: "GET /v1/runs/{run_id}/artifacts query",
    getArtifact: "GET /v1/runs/{run_id}/artifacts/{artifact_id} query raw",
    reportProgress: "POST /v1/runs/{run_id}/progress body",
    resume: "POST /v1/runs/{run_id}/resume body async",
    complete: "POST /v1/runs/{run_id}/complete body",
    cancel: "POST /v1/runs/{run_id}/cancel",
    sendSignal: "POST /v1/runs/{run_id}/signals/{name} body",
    sendMessage: "POST /v1/runs/{run_id}/messages body",
    listInputs: "GET /v1/runs/{run_id}/inputs query page",
    sendSignedSignalSignal_token_pos: "POST /signal/{token} keyed",
  },
  agents: {
    create: "POST /v1/agents body query keyed",
    list: "GET /v1/agents query page",
    get: "GET /v1/agents/{agent_id}",
    update: "PATCH /v1/agents/{agent_id} body",
    delete: "DELETE /v1/agents/{agent_id}",
    listRuns: "GET /v1/agents/{agent_id}/runs query page",
    getStats: "GET /v1/agents/{agent_id}/stats query",
    pause: "POST /v1/agents/{agent_id}/pause body",
    resume: "POST /v1/agents/{agent_id}/resume",
    listSecrets: "GET /v1/agents/{agent_id}/secrets",
    putSecret: "PUT /v1/agents/{agent_id}/secrets/{name} body query",
    deleteSecret: "DELETE /v1/agents/{agent_id}/secrets/{name} query",
  },
  versions: {
    list: "GET /v1/versions/{agent_id} query page",
    create: "POST /v1/versions/{agent_id} body query keyed",
    get: "GET /v1/versions/{agent_id}/{version}",
    update: "PATCH /v1/versions/{agent_id}/{version} body",
    archive: "DELETE /v1/versions/{agent_id}/{version}",
    getBuild: "GET /v1/versions/{agent_id}/{version}/build",
    streamBuild: "GET /v1/versions/{agent_id}/{version}/build/stream query stream",
    diff: "GET /v1/versions/{agent_id}/{version}/diff query",
    putTag: "PUT /v1/versions/{agent_id}/tags/{tag} body",
    deleteTag: "DELETE /v1/versions/{agent_id}/tags/{tag}",
    upgradeAgent: "POST /v1/upgrade body query",
    rollbackAgent: "POST /v1/rollback body",
  },
  threads: {
    create: "POST /v1/threads body keyed",
    list: "GET /v1/threads query page",
    get: "GET /v1/threads/{thread_id}",
    update: "PATCH /v1/threads/{thread_id} body",
    delete: "DELETE /v1/threads/{thread_id}",
    listRuns: "GET /v1/threads/{thread_id}/runs query page",
    listMessages: "GET /v1/threads/{thread_id}/messages query page",
    getState: "GET /v1/threads/{thread_id}/state",
    setState: "POST /v1/threads/{thread_id}/state body",
    listHistory: "GET /v1/threads/{thread_id}/history query page",
    fork: "POST /v1/threads/{thread_id}/fork body keyed",
    stream: "GET /v1/threads/{thread_id}/stream query stream",
  },
  jobs: {
    create: "POST /v1/jobs body keyed",
    list: "GET /v1/jobs query page",
    get: "GET /v1/jobs/{job_id}",
    update: "PATCH /v1/jobs/{job_id} body",
    delete: "DELETE /v1/jobs/{job_id}",
    cancel: "POST /v1/jobs/{job_id}/cancel",
    pause: "POST /v1/jobs/{job_id}/pause",
    resume: "POST /v1/jobs/{job_id}/resume",
    trigger: "POST /v1/jobs/{job_id}/trigger keyed",
    backfill: "POST /v1/jobs/{job_id}/backfill body",
    previewSchedule: "POST /v1/jobs/preview body",
    preview: "GET /v1/jobs/{job_id}/preview query",
    listRuns: "GET /v1/jobs/{job_id}/runs query page",
    listTicks: "GET /v1/jobs/{job_id}/ticks query page",
  },
  store: {
    putItem: "PUT /v1/store/items body",
    getItem: "GET /v1/store/items query",
    deleteItem: "DELETE /v1/store/items query",
    searchItems: "POST /v1/store/items/search body",
    listNamespaces: "POST /v1/store/namespaces body",
  },
  users: {
    create: "POST /v1/users body keyed",
    list: "GET /v1/users query page",
    getMe: "GET /v1/users/me query",
    updateMe: "PATCH /v1/users/me body query",
    get: "GET /v1/users/{user_id}",
    update: "PATCH /v1/users/{user_id} body",
    delete: "DELETE /v1/users/{user_id}",
    listApiKeys: "GET /v1/users/me/api-keys query page",
    createApiKey: "POST /v1/users/me/api-keys body keyed",
    revokeApiKey: "DELETE /v1/users/me/api-keys/{key_id}",
    getMyUsage: "GET /v1/users/me/usage query",
    getMyLimits: "GET /v1/users/me/limits query",
    rotateCallbackSecret: "POST /v1/users/me/callback-secret body keyed",
  },
  sessions: {
    create: "POST /v1/sessions body",
    getCurrent: "GET /v1/sessions/current",
    endCurrent: "DELETE /v1/sessions/current",
    createCode: "POST /v1/sessions/codes",
    list: "GET /v1/users/me/sessions query page",
    end: "DELETE /v1/users/me/sessions/{session_id}",
  },
  daemons: {
    control: "POST /v1/daemon/{agent_id}/control body query",
    getStatus: "GET /v1/daemon/{agent_id}/status",
    start: "POST /v1/daemon/{agent_id}/start body query",
    stop: "POST /v1/daemon/{agent_id}/stop body query",
    listLogs: "GET /v1/daemon/{agent_id}/logs query page",
    stream: "GET /v1/daemon/{agent_id}/stream query stream",
    postMessage: "POST /v1/daemon/{agent_id}/messages body query",
    list: "GET /v1/daemons query page",
    create: "POST /v1/daemons body query",
  },
  notifications: {
    list: "GET /v1/notifications query page",
    create: "POST /v1/notifications body keyed",
    count: "GET /v1/notifications/count query",
    read: "POST /v1/notifications/read body",
    readAll: "POST /v1/notifications/read-all body",
    stream: "GET /v1/notifications/stream query stream",
    getPreferences: "GET /v1/notifications/preferences query",
    putPreferences: "PUT /v1/notifications/preferences body query",
    get: "GET /v1/notifications/{notification_id}",
    update: "PUT /v1/notifications/{notification_id} body",
    delete: "DELETE /v1/notifications/{notification_id}",
  },
  webhooks: {
    list: "GET /v1/webhooks query page",
    create: "POST /v1/webhooks body keyed",
    get: "GET /v1/webhooks/{webhook_id}",
    update: "PATCH /v1/webhooks/{webhook_id} body",
    delete: "DELETE /v1/webhooks/{webhook_id}",
    listDeliveries: "GET /v1/webhooks/{webhook_id}/deliveries query page",
    test: "POST /v1/webhooks/{webhook_id}/test keyed",
    redeliverDelivery: "POST /v1/webhooks/{webhook_id}/redeliver body",
    rotateSecret: "POST /v1/webhooks/{webhook_id}/rotate keyed",
  },
  hooks: {
    list: "GET /v1/hooks query page",
    create: "POST /v1/hooks body keyed",
    get: "GET /v1/hooks/{hook_id}",
    update: "PATCH /v1/hooks/{hook_id} body",
    delete: "DELETE /v1/hooks/{hook_id}",
    rotateSecret: "POST /v1/hooks/{hook_id}/rotate body keyed",
    test: "POST /v1/hooks/{hook_id}/test body",
    listDeliveries: "GET /v1/hooks/{hook_id}/deliveries query page",
    replayDeliveries: "POST /v1/hooks/{hook_id}/replay body keyed",
  },
  connections: {
    list: "GET /v1/connections query page",
    get: "GET /v1/connections/{connection_id} query",
    put: "PUT /v1/connections/{connection_id} body query",
    delete: "DELETE /v1/connections/{connection_id} query",
  },
  secrets: {
    list: "GET /v1/secrets query",
    put: "PUT /v1/secrets/{name} body query",
    delete: "DELETE /v1/secrets/{name} query",
  },
  studio: {
    getOverview: "GET /v1/studio/overview query",
    listAgents: "GET /v1/studio/agents query page",
    getAgentStats: "GET /v1/studio/agents/{agent_id}/stats query",
    listAgentRuns: "GET /v1/studio/agents/{agent_id}/runs query page",
    getAgentErrors: "GET /v1/studio/agents/{agent_id}/errors query",
    listErrorGroups: "GET /v1/studio/errors query",
    getErrorGroup: "GET /v1/studio/errors/{fingerprint} query",
    updateErrorGroup: "PATCH /v1/studio/errors/{fingerprint} body query",
    listUsageLog: "GET /v1/studio/agents/{agent_id}/usage-log query page",
    getLatencyDistribution: "GET /v1/studio/agents/{agent_id}/latency-distribution query",
    getTokenDistribution: "GET /v1/studio/agents/{agent_id}/token-distribution query",
    getSessionDepth: "GET /v1/studio/agents/{agent_id}/session-depth query",
    exportRuns: "GET /v1/studio/export query raw",
  },
  admin: {
    getOverview: "GET /v1/admin/overview",
    getConfig: "GET /v1/admin/config",
    getFleet: "GET /v1/admin/fleet",
    getFleetHistory: "GET /v1/admin/history query",
    drainWorker: "POST /v1/admin/workers/{worker_id}/drain",
    killWorker: "POST /v1/admin/workers/{worker_id}/kill",
    listQueues: "GET /v1/admin/queues",
    pauseQueue: "POST /v1/admin/queues/{queue_id}/pause",
    resumeQueue: "POST /v1/admin/queues/{queue_id}/resume",
    listDeadLetters: "GET /v1/admin/dead-letters query page",
    listAllUsers: "GET /v1/admin/users query page",
    listAllAgents: "GET /v1/admin/agents query page",
    listAllRuns: "GET /v1/admin/runs query page",
    killRun: "POST /v1/admin/runs/{run_id}/kill body",
    listAllDaemons: "GET /v1/admin/daemons query page",
    getCosts: "GET /v1/admin/costs query",
    listAudit: "GET /v1/admin/audit query page",
  },
  billing: {
    getWallet: "GET /v1/billing/wallet query",
    listPlans: "GET /v1/billing/plans query page",
    putPlan: "PUT /v1/billing/plans/{plan_id} body",
    listSubscriptions: "GET /v1/billing/subscriptions query page",
    createSubscription: "POST /v1/billing/subscriptions body keyed",
    getSubscription: "GET /v1/billing/subscriptions/{subscription_id}",
    cancelSubscription: "POST /v1/billing/subscriptions/{subscription_id}/cancel query",
    resumeSubscription: "POST /v1/billing/subscriptions/{subscription_id}/resume",
    listTransactions: "GET /v1/billing/transactions query page",
    createTransaction: "POST /v1/billing/transactions body keyed",
    listPayments: "GET /v1/billing/payments query page",
    listInvoices: "GET /v1/billing/invoices query page",
    listUsage: "GET /v1/billing/usage query page",
    putSpendLimit: "PUT /v1/billing/spend-limit body",
    createCheckout: "POST /v1/billing/checkout body keyed",
    createPortal: "POST /v1/billing/portal body",
    listEvents: "GET /v1/billing/events query page",
    reapplyEvent: "POST /v1/billing/events/{event_id}/reapply",
  },
  internal: {
    listJobs: "GET /v1/internal/jobs",
    runJob: "POST /v1/internal/jobs/{name} query",
  },
  system: {
    service: "GET /",
    health: "GET /health",
    healthLive: "GET /health/live",
    healthReady: "GET /health/ready",
    metrics: "GET /metrics raw",
    openapi: "GET /openapi.json",
    configSchemaRunfleetSchemaJsonGe: "GET /runfleet.schema.json",
  },
} as const;

export type Resources = {
  execute: {
    /** Run an agent and stream its results */
    executeAgent: (body: ExecuteRequest, query?: {
        /** What happens to the run when the client disconnects. */
        on_disconnect?: "continue" | "cancel" | undefined;
      }, options?: CallOptions) => Promise<Run>;
    /** Start up to 100 runs at once */
    executeBatch: (body: ExecuteBatch, options?: CallOptions) => Promise<BatchResult>;
    /** Check whether a request would be accepted (dry run) */
    validate: (body: ValidateRequest | Binary, query?: {
        /** With a packed folder as the body: the body's other fields, as a JSON object. Longer ones may be the record `RUNFLEET.fields` of the archive's global pax header. */
        fields?: string | undefined;
      }, options?: CallOptions) => Promise<Validation>;
    /** The adapter types, and which of them are available */
    listAdapters: (options?: CallOptions) => Promise<Adapters>;
  };
  runs: {
    /** Cancel all runs that match a filter */
    bulkCancel: (body: BulkCancelBody, options?: CallOptions) => Promise<BulkPreview | BulkOperation>;
    /** Run all runs that match a filter again, with edits */
    bulkReplay: (body: BulkReplayBody, options?: CallOptions) => Promise<BulkPreview | BulkOperation>;
    /** Bulk operations, newest first */
    listBulkOperations: (query?: {
        /** The largest number of things to return. */
        limit?: number | undefined;
        /** The page starts after the thing with this id: `last_id` of the previous page. */
        after?: string | undefined;
        /** desc: newest first. asc: oldest first. */
        order?: "desc" | "asc" | undefined;
        /** Only things with this status. */
        status?: "pending" | "running" | "done" | "error" | undefined;
        /** Only things of this user. */
        user_id?: string | undefined;
      }, options?: CallOptions) => Pages<BulkOperation>;
    /** A bulk operation and its progress */
    getBulkOperation: (bulkId: string, options?: CallOptions) => Promise<BulkOperation>;
    /** Run the request of a run again, with edits */
    replay: (runId: string, body?: ReplayBody, options?: CallOptions) => Promise<Run>;
    /** Runs, newest first */
    list: (query?: {
        /** The largest number of things to return. */
        limit?: number | undefined;
        /** The page starts after the thing with this id: `last_id` of the previous page. */
        after?: string | undefined;
        /** desc: the newest first, or the greatest of what `order_by` names. asc: the other way round. */
        order?: "desc" | "asc" | undefined;
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
        /** What the list is in order of. By `duration_ms` and `cost_usd` it has only runs that have one. With filters that more than 10,000 runs match, a page then looks at 10,000 runs at most, as with `search`. */
        order_by?: "created_at" | "duration_ms" | "cost_usd" | undefined;
        /** Fields that the items have, too: `input_payload`, `result_content`, `state_snapshot`, with commas between them. A page that grows too large ends early, with `has_more`. */
        include?: string | undefined;
        /** Where `search` looks. `output`: in the text that the run has output. `logs`: in its log lines. Both read transcripts, while they are kept: a page looks at 200 runs at most, and at the first 512 KiB stored of each. Narrow it by agent_id, since and until. */
        search_in?: "record" | "output" | "logs" | undefined;
      }, options?: CallOptions) => Pages<RunListItem>;
    /** How many runs a list has, by status */
    count: (query?: {
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
        /** What the runs are counted by. */
        by?: "status" | undefined;
      }, options?: CallOptions) => Promise<RunCounts>;
    /** Stream the changes of a list of runs */
    streamChanges: (query?: {
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
        /** The same as `Last-Event-ID`, for clients that can't send headers. */
        after?: string | undefined;
      }, options?: CallOptions) => AsyncGenerator<RunChangeEvent>;
    /** Questions that wait for a person */
    listInterrupts: (query?: {
        /** The largest number of things to return. */
        limit?: number | undefined;
        /** The page starts after the thing with this id: `last_id` of the previous page. */
        after?: string | undefined;
        /** desc: newest first. asc: oldest first. */
        order?: "desc" | "asc" | undefined;
        /** Only things of this agent. */
        agent_id?: string | undefined;
        /** Only things of this user. */
        user_id?: string | undefined;
        /** Only runs of this thread. */
        thread_id?: string | undefined;
        /** Created at or after this time. */
        since?: string | undefined;
        /** Created before this time. */
        until?: string | undefined;
      }, options?: CallOptions) => Pages<AskingRun>;
    /** A run's record */
    get: (runId: string, query?: {
        /** A read token of the run, for clients that can't send headers. */
        token?: string | undefined;
      }, options?: CallOptions) => Promise<Run>;
    /** Change a run's metadata */
    update: (runId: string, body: RunPatch, options?: CallOptions) => Promise<Run>;
    /** Delete a run that has ended */
    delete: (runId: string, options?: CallOptions) => Promise<void>;
    /** Stream a run's events, or resume the stream */
    stream: (runId: string, query?: {
        /** The same as `Last-Event-ID`, for clients that can't send headers. */
        after?: string | undefined;
        /** A read token of the run, for clients that can't send headers. */
        token?: string | undefined;
      }, options?: CallOptions) => AsyncGenerator<RunEvent>;
    /** A run's events as a list */
    listEvents: (runId: string, query?: {
        /** The largest number of things to return. */
        limit?: number | undefined;
        /** The page starts after the event with this id: `last_id` of the previous page. */
        after?: string | undefined;
        /** A read token of the run, for clients that can't send headers. */
        token?: string | undefined;
      }, options?: CallOptions) => Pages<ListedRunEvent>;
    /** A run's log and stderr lines */
    listLogs: (runId: string, query?: {
        /** The largest number of things to return. */
        limit?: number | undefined;
        /** The page starts after the line with this id: `last_id` of the previous page. */
        after?: string | undefined;
        /** Only lines of this level. The names of levels are the agent's. */
        level?: string | undefined;
        /** Only lines written to stderr, or only lines that the agent logged. */
        stream?: "stderr" | "agent" | undefined;
        /** A read token of the run, for clients that can't send headers. */
        token?: string | undefined;
      }, options?: CallOptions) => Pages<RunLog>;
    /** A run's status changes, with actor and reason */
    listTimeline: (runId: string, query?: {
        /** A read token of the run, for clients that can't send headers. */
        token?: string | undefined;
      }, options?: CallOptions) => Promise<RunTimeline>;
    /** A durable run's steps, with their tries */
    listSteps: (runId: string, query?: {
        /** The largest number of things to return. */
        limit?: number | undefined;
        /** The page starts after the step with this `place`: `last_place` of the previous page. */
        after?: number | undefined;
        /** A read token of the run, for clients that can't send headers. */
        token?: string | undefined;
      }, options?: CallOptions) => Pages<RunStep>;
    /** A durable run's journal, with its results */
    getJournal: (runId: string, query?: {
        /** The largest number of things to return. */
        limit?: number | undefined;
        /** The page starts after the entry with this `place`: `last_place` of the previous page. */
        after?: number | undefined;
      }, options?: CallOptions) => Promise<RunJournal>;
    /** The runs that a run has started, and what all of them used */
    getTree: (runId: string, options?: CallOptions) => Promise<RunTree>;
    /** A run's calls to its connections */
    listCalls: (runId: string, query?: {
        /** The largest number of things to return. */
        limit?: number | undefined;
        /** The page starts after the thing with this id: `last_id` of the previous page. */
        after?: string | undefined;
        /** desc: newest first. asc: oldest first. */
        order?: "desc" | "asc" | undefined;
        /** A read token of the run, for clients that can't send headers. */
        token?: string | undefined;
      }, options?: CallOptions) => Pages<RunCall>;
    /** A run's callback and its delivery attempts */
    listCallbacks: (runId: string, options?: CallOptions) => Promise<RunCallbacks>;
    /** Send a run's callback again */
    redeliverCallback: (runId: string, options?: CallOptions) => Promise<Run>;
    /** A run's artifacts */
    listArtifacts: (runId: string, query?: {
        /** A read token of the run, for clients that can't send headers. */
        token?: string | undefined;
      }, options?: CallOptions) => Promise<RunArtifacts>;
    /** Download an artifact of a run */
    getArtifact: (runId: string, artifactId: string, query?: {
        /** A read token of the run, for clients that can't send headers. */
        token?: string | undefined;
      }, options?: CallOptions) => Promise<Response>;
    /** Report a run's progress */
    reportProgress: (runId: string, body: Progress, options?: CallOptions) => Promise<Run>;
    /** Answer an interrupted run */
    resume: (runId: string, body: InterruptAnswer, options?: CallOptions) => Promise<ResumedRun>;
    /** End a run from outside */
    complete: (runId: string, body: Completion, options?: CallOptions) => Promise<CompletedRun>;
    /** Cancel a run */
    cancel: (runId: string, options?: CallOptions) => Promise<Run>;
    /** Send a run a signal */
    sendSignal: (runId: string, name: string, body: SignalRequest, options?: CallOptions) => Promise<AcceptedInput>;
    /** Say something to a run */
    sendMessage: (runId: string, body: MessageRequest, options?: CallOptions) => Promise<AcceptedInput>;
    /** What was said to a run */
    listInputs: (runId: string, query?: {
        /** The largest number of things to return. */
        limit?: number | undefined;
        /** The page starts after the thing with this id: `last_id` of the previous page. */
        after?: string | undefined;
        /** desc: newest first. asc: oldest first. */
        order?: "desc" | "asc" | undefined;
        /** true: only what nothing has taken. false: the others. */
        untaken?: boolean | undefined;
      }, options?: CallOptions) => Pages<RunInput>;
    /** Send a run a signal by an address */
    sendSignedSignalSignal_token_pos: (token: string, options?: CallOptions) => Promise<AcceptedInput>;
  };
  agents: {
    /** Create an agent, or publish a version of it */
    create: (body: AgentBody | Binary, query?: {
        /** With a packed folder as the body: the body's other fields, as a JSON object. Longer ones may be the record `RUNFLEET.fields` of the archive's global pax header. */
        fields?: string | undefined;
      }, options?: CallOptions) => Promise<PublishedAgent>;
    /** Agents, newest first */
    list: (query?: {
        /** The largest number of things to return. */
        limit?: number | undefined;
        /** The page starts after the thing with this id: `last_id` of the previous page. */
        after?: string | undefined;
        /** desc: newest first. asc: oldest first. */
        order?: "desc" | "asc" | undefined;
        /** Only things with this status. */
        status?: "active" | "paused" | "archived" | undefined;
        /** Only things of this user. */
        user_id?: string | undefined;
        /** Created at or after this time. */
        since?: string | undefined;
        /** Created before this time. */
        until?: string | undefined;
        /** Only things with this text in the id or the name. */
        search?: string | undefined;
        /** Fields that the items have, too: `config`, with commas between them. A page that grows too large ends early, with `has_more`. */
        include?: string | undefined;
      }, options?: CallOptions) => Pages<AgentListItem>;
    /** An agent with its current version */
    get: (agentId: string, options?: CallOptions) => Promise<Agent>;
    /** Change an agent's name and metadata */
    update: (agentId: string, body: AgentPatch, options?: CallOptions) => Promise<Agent>;
    /** Delete an agent */
    delete: (agentId: string, options?: CallOptions) => Promise<void>;
    /** An agent's runs, newest first */
    listRuns: (agentId: string, query?: {
        /** The largest number of things to return. */
        limit?: number | undefined;
        /** The page starts after the thing with this id: `last_id` of the previous page. */
        after?: string | undefined;
        /** desc: the newest first, or the greatest of what `order_by` names. asc: the other way round. */
        order?: "desc" | "asc" | undefined;
        /** Only runs with this status. Several, with commas between: any of them. */
        status?: "scheduled" | "queued" | "running" | "interrupted" | "suspended" | "success" | "error" | "timeout" | "cancelled" | "expired" | Array<"scheduled" | "queued" | "running" | "interrupted" | "suspended" | "success" | "error" | "timeout" | "cancelled" | "expired"> | undefined;
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
        /** What the list is in order of. By `duration_ms` and `cost_usd` it has only runs that have one. With filters that more than 10,000 runs match, a page then looks at 10,000 runs at most, as with `search`. */
        order_by?: "created_at" | "duration_ms" | "cost_usd" | undefined;
        /** Fields that the items have, too: `input_payload`, `result_content`, `state_snapshot`, with commas between them. A page that grows too large ends early, with `has_more`. */
        include?: string | undefined;
        /** Where `search` looks. `output`: in the text that the run has output. `logs`: in its log lines. Both read transcripts, while they are kept: a page looks at 200 runs at most, and at the first 512 KiB stored of each. Narrow it by agent_id, since and until. */
        search_in?: "record" | "output" | "logs" | undefined;
      }, options?: CallOptions) => Pages<RunListItem>;
    /** Analytics of an agent's runs */
    getStats: (agentId: string, query?: {
        /** Created at or after this time. */
        since?: string | undefined;
        /** Created before this time. */
        until?: string | undefined;
      }, options?: CallOptions) => Promise<AgentStats>;
    /** Pause an agent: the kill switch */
    pause: (agentId: string, body?: {
      /** True: also cancel the agent's runs that have not ended. */
      cancel_runs?: boolean | undefined;
    }, options?: CallOptions) => Promise<PausedAgent>;
    /** Resume a paused agent */
    resume: (agentId: string, options?: CallOptions) => Promise<Agent>;
    /** The names of an agent's secrets */
    listSecrets: (agentId: string, options?: CallOptions) => Promise<AgentSecrets>;
    /** Set a secret of an agent */
    putSecret: (agentId: string, name: string, body: SecretBody, query?: {
        /** For versions that this tag names, which get it rather than the secret without a tag. Other versions never get it. */
        tag?: string | undefined;
      }, options?: CallOptions) => Promise<AgentSecret>;
    /** Remove a secret of an agent */
    deleteSecret: (agentId: string, name: string, query?: {
        /** For versions that this tag names, which get it rather than the secret without a tag. Other versions never get it. */
        tag?: string | undefined;
      }, options?: CallOptions) => Promise<void>;
  };
  versions: {
    /** An agent's versions, newest first */
    list: (agentId: string, query?: {
        /** The largest number of things to return. */
        limit?: number | undefined;
        /** The page starts after this version. */
        after?: string | undefined;
        /** desc: newest first. asc: oldest first. */
        order?: "desc" | "asc" | undefined;
        /** Only things with this status. */
        status?: "active" | "deprecated" | "archived" | undefined;
        /** Fields that the items have, too: `config`, with commas between them. A page that grows too large ends early, with `has_more`. */
        include?: string | undefined;
      }, options?: CallOptions) => Pages<AgentVersionListItem>;
    /** Publish a version of an agent */
    create: (agentId: string, body: VersionBody | Binary, query?: {
        /** With a packed folder as the body: the body's other fields, as a JSON object. Longer ones may be the record `RUNFLEET.fields` of the archive's global pax header. */
        fields?: string | undefined;
      }, options?: CallOptions) => Promise<PublishedVersion>;
    /** A version by its name, a tag, `current` or `latest` */
    get: (agentId: string, version: string, options?: CallOptions) => Promise<AgentVersion>;
    /** Deprecate, archive or restore a version */
    update: (agentId: string, version: string, body: VersionPatch, options?: CallOptions) => Promise<AgentVersion>;
    /** Archive a version */
    archive: (agentId: string, version: string, options?: CallOptions) => Promise<AgentVersion>;
    /** What is made of a version before its first run */
    getBuild: (agentId: string, version: string, options?: CallOptions) => Promise<Build>;
    /** Stream a build's log */
    streamBuild: (agentId: string, version: string, query?: {
        /** The same as `Last-Event-ID`, for clients that can't send headers. */
        after?: string | undefined;
      }, options?: CallOptions) => AsyncGenerator<BuildEvent>;
    /** The changes between the configs of two versions */
    diff: (agentId: string, version: string, query?: {
        /** The version to start from. */
        against?: string | undefined;
      }, options?: CallOptions) => Promise<VersionDiff>;
    /** Point a tag at a version */
    putTag: (agentId: string, tag: string, body: TagBody, options?: CallOptions) => Promise<AgentVersion>;
    /** Remove a tag */
    deleteTag: (agentId: string, tag: string, options?: CallOptions) => Promise<void>;
    /** Make a version the current one */
    upgradeAgent: (body: Upgrade, query?: {
        /** True: an unpublished version is a 404. */
        strict?: boolean | undefined;
      }, options?: CallOptions) => Promise<Upgraded>;
    /** Go back to an earlier version */
    rollbackAgent: (body: Rollback, options?: CallOptions) => Promise<Upgraded>;
  };
  threads: {
    /** Create a thread */
    create: (body?: ThreadBody, options?: CallOptions) => Promise<Thread>;
    /** Threads, newest first */
    list: (query?: {
        /** The largest number of things to return. */
        limit?: number | undefined;
        /** The page starts after the thing with this id: `last_id` of the previous page. */
        after?: string | undefined;
        /** desc: newest first. asc: oldest first. */
        order?: "desc" | "asc" | undefined;
        /** Only things of this agent. */
        agent_id?: string | undefined;
        /** Only things of this user. */
        user_id?: string | undefined;
        /** Only things with this status. A page looks at most at 10,000 threads, so it may have fewer than `limit` and still `has_more`. */
        status?: "idle" | "busy" | "interrupted" | "error" | undefined;
        /** Only things with this tag. */
        tag?: string | undefined;
        /** Only things whose metadata has this text, number or boolean, as in `metadata[customer]=ada`. Several must all match. */
        metadata?: Record<string, string> | undefined;
        /** Created at or after this time. */
        since?: string | undefined;
        /** Created before this time. */
        until?: string | undefined;
        /** Only threads with this text in the id or the title. */
        search?: string | undefined;
      }, options?: CallOptions) => Pages<Thread>;
    /** A thread */
    get: (threadId: string, options?: CallOptions) => Promise<Thread>;
    /** Change a thread's title and metadata */
    update: (threadId: string, body: ThreadPatch, options?: CallOptions) => Promise<Thread>;
    /** Delete a thread */
    delete: (threadId: string, options?: CallOptions) => Promise<void>;
    /** A thread's runs, newest first */
    listRuns: (threadId: string, query?: {
        /** The largest number of things to return. */
        limit?: number | undefined;
        /** The page starts after the thing with this id: `last_id` of the previous page. */
        after?: string | undefined;
        /** desc: the newest first, or the greatest of what `order_by` names. asc: the other way round. */
        order?: "desc" | "asc" | undefined;
        /** Only runs with this status. Several, with commas between: any of them. */
        status?: "scheduled" | "queued" | "running" | "interrupted" | "suspended" | "success" | "error" | "timeout" | "cancelled" | "expired" | Array<"scheduled" | "queued" | "running" | "interrupted" | "suspended" | "success" | "error" | "timeout" | "cancelled" | "expired"> | undefined;
        /** Only runs of this agent. Several, with commas between: any of them. */
        agent_id?: string | Array<string> | undefined;
        /** Only runs of this version. The name must be exact. Several, with commas between: any of them. */
        version?: string | Array<string> | undefined;
        /** Only things of this user. */
        user_id?: string | undefined;
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
        /** What the list is in order of. By `duration_ms` and `cost_usd` it has only runs that have one. With filters that more than 10,000 runs match, a page then looks at 10,000 runs at most, as with `search`. */
        order_by?: "created_at" | "duration_ms" | "cost_usd" | undefined;
        /** Fields that the items have, too: `input_payload`, `result_content`, `state_snapshot`, with commas between them. A page that grows too large ends early, with `has_more`. */
        include?: string | undefined;
        /** Where `search` looks. `output`: in the text that the run has output. `logs`: in its log lines. Both read transcripts, while they are kept: a page looks at 200 runs at most, and at the first 512 KiB stored of each. Narrow it by agent_id, since and until. */
        search_in?: "record" | "output" | "logs" | undefined;
      }, options?: CallOptions) => Pages<RunListItem>;
    /** A thread's messages, newest first */
    listMessages: (threadId: string, query?: {
        /** The largest number of things to return. */
        limit?: number | undefined;
        /** The page starts after the thing with this id: `last_id` of the previous page. */
        after?: number | undefined;
        /** desc: newest first. asc: oldest first. */
        order?: "desc" | "asc" | undefined;
      }, options?: CallOptions) => Pages<ThreadMessage>;
    /** A thread's state, with which its next run starts */
    getState: (threadId: string, options?: CallOptions) => Promise<ThreadState>;
    /** Set a thread's state, with which its next run starts */
    setState: (threadId: string, body: ThreadStateBody, options?: CallOptions) => Promise<ThreadState>;
    /** The states after each of a thread's runs, newest first */
    listHistory: (threadId: string, query?: {
        /** The largest number of things to return. */
        limit?: number | undefined;
        /** The page starts after the thing with this id: `last_id` of the previous page. */
        after?: string | undefined;
        /** desc: newest first. asc: oldest first. */
        order?: "desc" | "asc" | undefined;
      }, options?: CallOptions) => Pages<PastState>;
    /** Copy a thread up to one of its runs */
    fork: (threadId: string, body?: ForkBody, options?: CallOptions) => Promise<Thread>;
    /** Stream all runs of a thread, one after the other */
    stream: (threadId: string, query?: {
        /** The same as `Last-Event-ID`, for clients that can't send headers. */
        after?: string | undefined;
      }, options?: CallOptions) => AsyncGenerator<RunEvent>;
  };
  jobs: {
    /** Schedule runs of an agent */
    create: (body: JobBody, options?: CallOptions) => Promise<Job>;
    /** Jobs, newest first */
    list: (query?: {
        /** The largest number of things to return. */
        limit?: number | undefined;
        /** The page starts after the thing with this id: `last_id` of the previous page. */
        after?: string | undefined;
        /** desc: newest first. asc: oldest first. */
        order?: "desc" | "asc" | undefined;
        /** Only things with this status. */
        status?: "active" | "paused" | "completed" | "cancelled" | undefined;
        /** Only things of this agent. */
        agent_id?: string | undefined;
        /** Only things of this user. */
        user_id?: string | undefined;
        /** Created at or after this time. */
        since?: string | undefined;
        /** Created before this time. */
        until?: string | undefined;
        /** Only things with this text in the id or the name. */
        search?: string | undefined;
        /** Fields that the items have, too: `input_payload`, with commas between them. A page that grows too large ends early, with `has_more`. */
        include?: string | undefined;
      }, options?: CallOptions) => Pages<JobListItem>;
    /** A job with its next and its last tick */
    get: (jobId: string, options?: CallOptions) => Promise<Job>;
    /** Change a job's request and schedule */
    update: (jobId: string, body: JobPatch, options?: CallOptions) => Promise<Job>;
    /** Delete a job */
    delete: (jobId: string, options?: CallOptions) => Promise<void>;
    /** Cancel a job and its runs that have not ended */
    cancel: (jobId: string, options?: CallOptions) => Promise<Job>;
    /** Pause a job */
    pause: (jobId: string, options?: CallOptions) => Promise<Job>;
    /** Resume a paused job */
    resume: (jobId: string, options?: CallOptions) => Promise<Job>;
    /** Fire a job now */
    trigger: (jobId: string, options?: CallOptions) => Promise<Run>;
    /** Fire the ticks of a time that has passed */
    backfill: (jobId: string, body: BackfillBody, options?: CallOptions) => Promise<Backfill>;
    /** The next ticks of a schedule */
    previewSchedule: (body: SchedulePreviewBody, options?: CallOptions) => Promise<SchedulePreview>;
    /** The next ticks of a job */
    preview: (jobId: string, query?: {
        /** How many ticks to show. Fewer come where the job has no more. */
        count?: number | undefined;
      }, options?: CallOptions) => Promise<TickPreview>;
    /** A job's runs, newest first */
    listRuns: (jobId: string, query?: {
        /** The largest number of things to return. */
        limit?: number | undefined;
        /** The page starts after the thing with this id: `last_id` of the previous page. */
        after?: string | undefined;
        /** desc: the newest first, or the greatest of what `order_by` names. asc: the other way round. */
        order?: "desc" | "asc" | undefined;
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
        /** What the list is in order of. By `duration_ms` and `cost_usd` it has only runs that have one. With filters that more than 10,000 runs match, a page then looks at 10,000 runs at most, as with `search`. */
        order_by?: "created_at" | "duration_ms" | "cost_usd" | undefined;
        /** Fields that the items have, too: `input_payload`, `result_content`, `state_snapshot`, with commas between them. A page that grows too large ends early, with `has_more`. */
        include?: string | undefined;
        /** Where `search` looks. `output`: in the text that the run has output. `logs`: in its log lines. Both read transcripts, while they are kept: a page looks at 200 runs at most, and at the first 512 KiB stored of each. Narrow it by agent_id, since and until. */
        search_in?: "record" | "output" | "logs" | undefined;
      }, options?: CallOptions) => Pages<RunListItem>;
    /** A job's ticks and their outcomes, newest first */
    listTicks: (jobId: string, query?: {
        /** The largest number of things to return. */
        limit?: number | undefined;
        /** The page starts after this tick. */
        after?: string | undefined;
        /** desc: newest first. asc: oldest first. */
        order?: "desc" | "asc" | undefined;
      }, options?: CallOptions) => Pages<JobTick>;
  };
  store: {
    /** Write an item */
    putItem: (body: StoreItemBody, options?: CallOptions) => Promise<StoreItem>;
    /** Read an item */
    getItem: (query: {
        /** Whose item. Left out: the caller's. */
        user_id?: string | undefined;
        /** The labels of the namespace with dots between them. */
        namespace: string;
        /** The item's key within its namespace. */
        key: string;
        /** False: reading the item doesn't prolong its life. */
        refresh_ttl?: boolean | undefined;
      }, options?: CallOptions) => Promise<StoreItem>;
    /** Delete an item */
    deleteItem: (query: {
        /** Whose item. Left out: the caller's. */
        user_id?: string | undefined;
        /** The labels of the namespace with dots between them. */
        namespace: string;
        /** The item's key within its namespace. */
        key: string;
      }, options?: CallOptions) => Promise<void>;
    /** Find items by namespace and by fields of their values */
    searchItems: (body?: StoreSearch, options?: CallOptions) => Promise<StoreItems>;
    /** The namespaces that have items */
    listNamespaces: (body?: NamespaceSearch, options?: CallOptions) => Promise<StoreNamespaces>;
  };
  users: {
    /** Create a user */
    create: (body: UserBody, options?: CallOptions) => Promise<User>;
    /** Users, newest first */
    list: (query?: {
        /** The largest number of things to return. */
        limit?: number | undefined;
        /** The page starts after the thing with this id: `last_id` of the previous page. */
        after?: string | undefined;
        /** desc: newest first. asc: oldest first. */
        order?: "desc" | "asc" | undefined;
        /** Created at or after this time. */
        since?: string | undefined;
        /** Created before this time. */
        until?: string | undefined;
        /** Only users with this text in the id, name or email address. */
        search?: string | undefined;
      }, options?: CallOptions) => Pages<User>;
    /** The user that the key belongs to */
    getMe: (query?: {
        /** The user, with AUTH_MODE=open or for an admin. Otherwise it is the key's owner. */
        user_id?: string | undefined;
      }, options?: CallOptions) => Promise<User>;
    /** Change your name, email address and metadata */
    updateMe: (body: UserPatch, query?: {
        /** The user, with AUTH_MODE=open or for an admin. Otherwise it is the key's owner. */
        user_id?: string | undefined;
      }, options?: CallOptions) => Promise<User>;
    /** A user */
    get: (userId: string, options?: CallOptions) => Promise<User>;
    /** Change a user's name, email address and metadata */
    update: (userId: string, body: UserPatch, options?: CallOptions) => Promise<User>;
    /** Delete a user */
    delete: (userId: string, options?: CallOptions) => Promise<void>;
    /** Your keys, without their secrets */
    listApiKeys: (query?: {
        /** The largest number of things to return. */
        limit?: number | undefined;
        /** The page starts after the thing with this id: `last_id` of the previous page. */
        after?: string | undefined;
        /** desc: newest first. asc: oldest first. */
        order?: "desc" | "asc" | undefined;
        /** The user, with AUTH_MODE=open or for an admin. Otherwise it is the key's owner. */
        user_id?: string | undefined;
        /** Only the read tokens of this run. */
        run_id?: string | undefined;
      }, options?: CallOptions) => Pages<ApiKey>;
    /** Create an API key */
    createApiKey: (body: ApiKeyBody, options?: CallOptions) => Promise<NewApiKey>;
    /** Revoke an API key */
    revokeApiKey: (keyId: string, options?: CallOptions) => Promise<void>;
    /** The usage of your runs */
    getMyUsage: (query?: {
        /** The user, with AUTH_MODE=open or for an admin. Otherwise it is the key's owner. */
        user_id?: string | undefined;
        /** Created at or after this time. */
        since?: string | undefined;
        /** Created before this time. */
        until?: string | undefined;
      }, options?: CallOptions) => Promise<UserUsage>;
    /** The limits of requests and runs, and your current numbers */
    getMyLimits: (query?: {
        /** The user, with AUTH_MODE=open or for an admin. Otherwise it is the key's owner. */
        user_id?: string | undefined;
      }, options?: CallOptions) => Promise<Limits>;
    /** Create a new secret for callback signatures */
    rotateCallbackSecret: (body?: {
      /** The owner of the agents. Left out: the caller. */
      user_id?: string | null | undefined;
    }, options?: CallOptions) => Promise<CallbackSecret>;
  };
  sessions: {
    /** Sign a browser in */
    create: (body: SignIn, options?: CallOptions) => Promise<CurrentSession>;
    /** Who is signed in */
    getCurrent: (options?: CallOptions) => Promise<CurrentSession>;
    /** Sign out */
    endCurrent: (options?: CallOptions) => Promise<void>;
    /** Make a code that signs one browser in */
    createCode: (options?: CallOptions) => Promise<SessionCode>;
    /** Where you are signed in */
    list: (query?: {
        /** The largest number of things to return. */
        limit?: number | undefined;
        /** The page starts after the thing with this id: `last_id` of the previous page. */
        after?: string | undefined;
        /** desc: newest first. asc: oldest first. */
        order?: "desc" | "asc" | undefined;
        /** The user, with AUTH_MODE=open or for an admin. Otherwise it is the key's owner. */
        user_id?: string | undefined;
      }, options?: CallOptions) => Pages<Session>;
    /** End a session */
    end: (sessionId: string, options?: CallOptions) => Promise<void>;
  };
  daemons: {
    /** Control an agent's daemon */
    control: (agentId: string, body: DaemonControl, query?: {
        /** Seconds to wait until the requested state is reached, or until the message's run has ended. */
        wait?: number | undefined;
      }, options?: CallOptions) => Promise<DaemonControlled>;
    /** An agent's daemon */
    getStatus: (agentId: string, options?: CallOptions) => Promise<Daemon>;
    /** Start an agent's daemon */
    start: (agentId: string, body?: DaemonSettings, query?: {
        /** Seconds to wait until the requested state is reached, or until the message's run has ended. */
        wait?: number | undefined;
      }, options?: CallOptions) => Promise<DaemonControlled>;
    /** Stop an agent's daemon */
    stop: (agentId: string, body?: DaemonStop, query?: {
        /** Seconds to wait until the requested state is reached, or until the message's run has ended. */
        wait?: number | undefined;
      }, options?: CallOptions) => Promise<DaemonControlled>;
    /** A daemon's log, oldest first */
    listLogs: (agentId: string, query?: {
        /** The largest number of things to return. */
        limit?: number | undefined;
        /** The page starts after the line with this id: `last_id` of the previous page. */
        after?: string | undefined;
      }, options?: CallOptions) => Pages<DaemonLogLine>;
    /** Stream a daemon's log and status */
    stream: (agentId: string, query?: {
        /** The same as `Last-Event-ID`, for clients that can't send headers. */
        after?: string | undefined;
      }, options?: CallOptions) => AsyncGenerator<DaemonEvent>;
    /** Send a message to an agent's daemon */
    postMessage: (agentId: string, body: DaemonMessage, query?: {
        /** Seconds to wait until the requested state is reached, or until the message's run has ended. */
        wait?: number | undefined;
      }, options?: CallOptions) => Promise<Run>;
    /** Daemons, newest first */
    list: (query?: {
        /** The largest number of things to return. */
        limit?: number | undefined;
        /** The page starts after the thing with this id: `last_id` of the previous page. */
        after?: string | undefined;
        /** desc: newest first. asc: oldest first. */
        order?: "desc" | "asc" | undefined;
        /** Only daemons with this status. */
        status?: "stopped" | "starting" | "running" | "degraded" | "paused" | "stopping" | "crashed" | "backoff" | "failed" | undefined;
        /** Only daemons of this user. */
        user_id?: string | undefined;
      }, options?: CallOptions) => Pages<Daemon>;
    /** Start the daemon of an agent */
    create: (body: NewDaemon, query?: {
        /** Seconds to wait until the requested state is reached, or until the message's run has ended. */
        wait?: number | undefined;
      }, options?: CallOptions) => Promise<Daemon>;
  };
  notifications: {
    /** Notifications, newest first */
    list: (query?: {
        /** The largest number of things to return. */
        limit?: number | undefined;
        /** The page starts after the thing with this id: `last_id` of the previous page. */
        after?: string | undefined;
        /** desc: newest first. asc: oldest first. */
        order?: "desc" | "asc" | undefined;
        /** Only things of this user. */
        user_id?: string | undefined;
        /** Only notifications of this type. */
        type?: string | undefined;
        /** Only notifications of this level. */
        level?: "info" | "warning" | "error" | undefined;
        /** True: only unread notifications. False: only read ones. */
        unread?: boolean | undefined;
        /** Only notifications about this agent. */
        agent_id?: string | undefined;
        /** Only notifications about this run. */
        run_id?: string | undefined;
        /** Created at or after this time. */
        since?: string | undefined;
        /** Created before this time. */
        until?: string | undefined;
      }, options?: CallOptions) => Pages<Notification>;
    /** Notify a user */
    create: (body: NotificationBody, options?: CallOptions) => Promise<Notification>;
    /** The number of unread notifications */
    count: (query?: {
        /** The user, with AUTH_MODE=open or for an admin. Otherwise it is the key's owner. */
        user_id?: string | undefined;
      }, options?: CallOptions) => Promise<UnreadCount>;
    /** Mark notifications as read */
    read: (body: ReadNotifications, options?: CallOptions) => Promise<ReadAnswer>;
    /** Mark all notifications as read */
    readAll: (body?: {
      /** The user, with AUTH_MODE=open or for an admin. Otherwise it is the key's owner. */
      user_id?: string | undefined;
      type?: string | undefined;
    }, options?: CallOptions) => Promise<ReadAnswer>;
    /** Stream notifications */
    stream: (query?: {
        /** The user, with AUTH_MODE=open or for an admin. Otherwise it is the key's owner. */
        user_id?: string | undefined;
        /** The same as `Last-Event-ID`, for clients that can't send headers. */
        after?: string | undefined;
      }, options?: CallOptions) => AsyncGenerator<NotificationEvent>;
    /** A user's notification preferences */
    getPreferences: (query?: {
        /** The user, with AUTH_MODE=open or for an admin. Otherwise it is the key's owner. */
        user_id?: string | undefined;
      }, options?: CallOptions) => Promise<Preferences>;
    /** Set a user's notification preferences */
    putPreferences: (body: PreferencesBody, query?: {
        /** The user, with AUTH_MODE=open or for an admin. Otherwise it is the key's owner. */
        user_id?: string | undefined;
      }, options?: CallOptions) => Promise<Preferences>;
    /** A notification */
    get: (notificationId: string, options?: CallOptions) => Promise<Notification>;
    /** Mark a notification as read or unread */
    update: (notificationId: string, body: NotificationPut, options?: CallOptions) => Promise<Notification>;
    /** Delete a notification */
    delete: (notificationId: string, options?: CallOptions) => Promise<void>;
  };
  webhooks: {
    /** Webhooks, newest first */
    list: (query?: {
        /** The largest number of things to return. */
        limit?: number | undefined;
        /** The page starts after the thing with this id: `last_id` of the previous page. */
        after?: string | undefined;
        /** desc: newest first. asc: oldest first. */
        order?: "desc" | "asc" | undefined;
        /** Only things of this user. */
        user_id?: string | undefined;
        /** Only things with this status. */
        status?: "active" | "paused" | "disabled" | undefined;
        /** Created at or after this time. */
        since?: string | undefined;
        /** Created before this time. */
        until?: string | undefined;
      }, options?: CallOptions) => Pages<Webhook>;
    /** Create a webhook */
    create: (body: WebhookBody, options?: CallOptions) => Promise<NewWebhook>;
    /** A webhook */
    get: (webhookId: string, options?: CallOptions) => Promise<Webhook>;
    /** Change a webhook */
    update: (webhookId: string, body: WebhookPatch, options?: CallOptions) => Promise<Webhook>;
    /** Delete a webhook */
    delete: (webhookId: string, options?: CallOptions) => Promise<void>;
    /** A webhook's deliveries, newest first */
    listDeliveries: (webhookId: string, query?: {
        /** The largest number of things to return. */
        limit?: number | undefined;
        /** The page starts after the thing with this id: `last_id` of the previous page. */
        after?: string | undefined;
        /** desc: newest first. asc: oldest first. */
        order?: "desc" | "asc" | undefined;
        /** Only things with this status. */
        status?: "pending" | "delivered" | "exhausted" | undefined;
        /** Only deliveries of this event type. */
        type?: string | undefined;
        /** Created at or after this time. */
        since?: string | undefined;
        /** Created before this time. */
        until?: string | undefined;
        /** Fields that the items have, too: `payload`, with commas between them. A page that grows too large ends early, with `has_more`. */
        include?: string | undefined;
      }, options?: CallOptions) => Pages<Delivery>;
    /** Send a test event to a webhook */
    test: (webhookId: string, options?: CallOptions) => Promise<Delivery>;
    /** Send one delivery again, or all since a time */
    redeliverDelivery: (webhookId: string, body: RedeliverBody, options?: CallOptions) => Promise<Delivery | Redelivery>;
    /** Create a new secret for a webhook */
    rotateSecret: (webhookId: string, options?: CallOptions) => Promise<WebhookSecret>;
  };
  hooks: {
    /** Hooks, newest first */
    list: (query?: {
        /** The largest number of things to return. */
        limit?: number | undefined;
        /** The page starts after the thing with this id: `last_id` of the previous page. */
        after?: string | undefined;
        /** desc: newest first. asc: oldest first. */
        order?: "desc" | "asc" | undefined;
        /** Only things of this user. */
        user_id?: string | undefined;
        /** Only things of this agent. */
        agent_id?: string | undefined;
        /** Only things with this status. */
        status?: "active" | "paused" | undefined;
        /** Created at or after this time. */
        since?: string | undefined;
        /** Created before this time. */
        until?: string | undefined;
      }, options?: CallOptions) => Pages<Hook>;
    /** Make an address that starts runs */
    create: (body: HookBody, options?: CallOptions) => Promise<NewHook>;
    /** A hook */
    get: (hookId: string, options?: CallOptions) => Promise<Hook>;
    /** Change a hook */
    update: (hookId: string, body: HookPatch, options?: CallOptions) => Promise<Hook>;
    /** Delete a hook */
    delete: (hookId: string, options?: CallOptions) => Promise<void>;
    /** Give a hook another secret */
    rotateSecret: (hookId: string, body?: RotateHookBody, options?: CallOptions) => Promise<NewHook>;
    /** Show what a hook would make of a delivery */
    test: (hookId: string, body: TestHookBody, options?: CallOptions) => Promise<HookTest>;
    /** A hook's deliveries, newest first */
    listDeliveries: (hookId: string, query?: {
        /** The largest number of things to return. */
        limit?: number | undefined;
        /** The page starts after the thing with this id: `last_id` of the previous page. */
        after?: string | undefined;
        /** desc: newest first. asc: oldest first. */
        order?: "desc" | "asc" | undefined;
        /** Only things with this status. */
        status?: "pending" | "accepted" | "filtered" | "failed" | "handshake" | undefined;
        /** Only deliveries of this event type. */
        event?: string | undefined;
        /** Created at or after this time. */
        since?: string | undefined;
        /** Created before this time. */
        until?: string | undefined;
      }, options?: CallOptions) => Pages<HookDelivery>;
    /** Repeat one delivery, or all since a time */
    replayDeliveries: (hookId: string, body: ReplayHookBody, options?: CallOptions) => Promise<ReplayedDeliveries>;
  };
  connections: {
    /** Connections, newest first */
    list: (query?: {
        /** The largest number of things to return. */
        limit?: number | undefined;
        /** The page starts after the thing with this id: `last_id` of the previous page. */
        after?: string | undefined;
        /** desc: newest first. asc: oldest first. */
        order?: "desc" | "asc" | undefined;
        /** Only things of this user. */
        user_id?: string | undefined;
        /** Only things of this agent. */
        agent_id?: string | undefined;
      }, options?: CallOptions) => Pages<Connection>;
    /** A connection */
    get: (connectionId: string, query?: {
        /** Whose connection. Left out: the caller's. */
        user_id?: string | undefined;
        /** The connection of this agent alone, which it uses rather than its owner's of that name. */
        agent_id?: string | undefined;
      }, options?: CallOptions) => Promise<Connection>;
    /** Set a connection */
    put: (connectionId: string, body: ConnectionBody, query?: {
        /** Whose connection. Left out: the caller's. */
        user_id?: string | undefined;
        /** The connection of this agent alone, which it uses rather than its owner's of that name. */
        agent_id?: string | undefined;
      }, options?: CallOptions) => Promise<Connection>;
    /** Delete a connection */
    delete: (connectionId: string, query?: {
        /** Whose connection. Left out: the caller's. */
        user_id?: string | undefined;
        /** The connection of this agent alone, which it uses rather than its owner's of that name. */
        agent_id?: string | undefined;
      }, options?: CallOptions) => Promise<void>;
  };
  secrets: {
    /** The names of the secrets of all of your agents */
    list: (query?: {
        /** Whose secret. Left out: the caller's. */
        user_id?: string | undefined;
      }, options?: CallOptions) => Promise<AgentSecrets>;
    /** Set a secret of all of your agents */
    put: (name: string, body: SecretBody, query?: {
        /** Whose secret. Left out: the caller's. */
        user_id?: string | undefined;
        /** For versions that this tag names, which get it rather than the secret without a tag. Other versions never get it. */
        tag?: string | undefined;
      }, options?: CallOptions) => Promise<AgentSecret>;
    /** Remove a secret of all of your agents */
    delete: (name: string, query?: {
        /** Whose secret. Left out: the caller's. */
        user_id?: string | undefined;
        /** For versions that this tag names, which get it rather than the secret without a tag. Other versions never get it. */
        tag?: string | undefined;
      }, options?: CallOptions) => Promise<void>;
  };
  studio: {
    /** Analytics of all your runs over time */
    getOverview: (query?: {
        /** Only runs that ended at or after this time. Left out: 30 days before `until`. */
        since?: string | undefined;
        /** Only runs that ended before this time. Left out: now. */
        until?: string | undefined;
        /** The unit of `series`. A week begins on Monday. */
        unit?: "hour" | "day" | "week" | "month" | undefined;
        /** The IANA time zone of the hours, days, weeks and months in `series`. */
        timezone?: string | undefined;
        /** Only runs of this user. Only an admin may name another user. */
        user_id?: string | undefined;
      }, options?: CallOptions) => Promise<StudioFigures>;
    /** Agents with the analytics of their runs */
    listAgents: (query?: {
        /** The largest number of things to return. */
        limit?: number | undefined;
        /** The page starts after the thing with this id: `last_id` of the previous page. */
        after?: string | undefined;
        /** desc: newest first. asc: oldest first. */
        order?: "desc" | "asc" | undefined;
        /** Only things with this status. */
        status?: "active" | "paused" | "archived" | undefined;
        /** Only things of this user. */
        user_id?: string | undefined;
        /** Only runs that ended at or after this time. Left out: 30 days before `until`. */
        since?: string | undefined;
        /** Only runs that ended before this time. Left out: now. */
        until?: string | undefined;
        /** Only things with this text in the id or the name. */
        search?: string | undefined;
        /** Fields that the items have, too: `config`, with commas between them. A page that grows too large ends early, with `has_more`. */
        include?: string | undefined;
      }, options?: CallOptions) => Pages<StudioAgent>;
    /** Analytics of an agent's runs over time */
    getAgentStats: (agentId: string, query?: {
        /** Only runs that ended at or after this time. Left out: 30 days before `until`. */
        since?: string | undefined;
        /** Only runs that ended before this time. Left out: now. */
        until?: string | undefined;
        /** The unit of `series`. A week begins on Monday. */
        unit?: "hour" | "day" | "week" | "month" | undefined;
        /** The IANA time zone of the hours, days, weeks and months in `series`. */
        timezone?: string | undefined;
        /** Only runs of this version. */
        version?: string | undefined;
      }, options?: CallOptions) => Promise<StudioFigures>;
    /** An agent's runs, newest first */
    listAgentRuns: (agentId: string, query?: {
        /** The largest number of things to return. */
        limit?: number | undefined;
        /** The page starts after the thing with this id: `last_id` of the previous page. */
        after?: string | undefined;
        /** desc: the newest first, or the greatest of what `order_by` names. asc: the other way round. */
        order?: "desc" | "asc" | undefined;
        /** Only runs with this status. Several, with commas between: any of them. */
        status?: "scheduled" | "queued" | "running" | "interrupted" | "suspended" | "success" | "error" | "timeout" | "cancelled" | "expired" | Array<"scheduled" | "queued" | "running" | "interrupted" | "suspended" | "success" | "error" | "timeout" | "cancelled" | "expired"> | undefined;
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
        /** What the list is in order of. By `duration_ms` and `cost_usd` it has only runs that have one. With filters that more than 10,000 runs match, a page then looks at 10,000 runs at most, as with `search`. */
        order_by?: "created_at" | "duration_ms" | "cost_usd" | undefined;
        /** Fields that the items have, too: `input_payload`, `result_content`, `state_snapshot`, with commas between them. A page that grows too large ends early, with `has_more`. */
        include?: string | undefined;
        /** Where `search` looks. `output`: in the text that the run has output. `logs`: in its log lines. Both read transcripts, while they are kept: a page looks at 200 runs at most, and at the first 512 KiB stored of each. Narrow it by agent_id, since and until. */
        search_in?: "record" | "output" | "logs" | undefined;
      }, options?: CallOptions) => Pages<RunListItem>;
    /** The errors of an agent's runs, most frequent first */
    getAgentErrors: (agentId: string, query?: {
        /** Only runs that ended at or after this time. Left out: 30 days before `until`. */
        since?: string | undefined;
        /** Only runs that ended before this time. Left out: now. */
        until?: string | undefined;
      }, options?: CallOptions) => Promise<AgentErrors>;
    /** The errors of all agents in groups that are alike */
    listErrorGroups: (query?: {
        /** Only runs created at or after this time. Left out: 30 days before `until`. */
        since?: string | undefined;
        /** Only runs created before this time. Left out: now. */
        until?: string | undefined;
        /** Only errors of this agent. */
        agent_id?: string | undefined;
        /** Only runs of this version. The name must be exact. */
        version?: string | undefined;
        /** Only groups in this state. */
        state?: "open" | "resolved" | "ignored" | undefined;
        /** At most so many groups. */
        limit?: number | undefined;
      }, options?: CallOptions) => Promise<ErrorGroups>;
    /** A group of errors that are alike, with its runs */
    getErrorGroup: (fingerprint: string, query?: {
        /** Only runs created at or after this time. Left out: 30 days before `until`. */
        since?: string | undefined;
        /** Only runs created before this time. Left out: now. */
        until?: string | undefined;
      }, options?: CallOptions) => Promise<ErrorGroupDetails>;
    /** Resolve, ignore or open a group of errors */
    updateErrorGroup: (fingerprint: string, body: ErrorGroupPatch, query?: {
        /** Only runs created at or after this time. Left out: 30 days before `until`. */
        since?: string | undefined;
        /** Only runs created before this time. Left out: now. */
        until?: string | undefined;
      }, options?: CallOptions) => Promise<ErrorGroupDetails>;
    /** The usage of each of an agent's runs, newest first */
    listUsageLog: (agentId: string, query?: {
        /** The largest number of things to return. */
        limit?: number | undefined;
        /** The page starts after the thing with this id: `last_id` of the previous page. */
        after?: string | undefined;
        /** desc: the newest first, or the greatest of what `order_by` names. asc: the other way round. */
        order?: "desc" | "asc" | undefined;
        /** Only runs with this status. Several, with commas between: any of them. */
        status?: "scheduled" | "queued" | "running" | "interrupted" | "suspended" | "success" | "error" | "timeout" | "cancelled" | "expired" | Array<"scheduled" | "queued" | "running" | "interrupted" | "suspended" | "success" | "error" | "timeout" | "cancelled" | "expired"> | undefined;
        /** Only runs of this version. The name must be exact. Several, with commas between: any of them. */
        version?: string | Array<string> | undefined;
        /** Only things of this user. */
        user_id?: string | undefined;
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
        /** Where `search` looks. `output`: in the text that the run has output. `logs`: in its log lines. Both read transcripts, while they are kept: a page looks at 200 runs at most, and at the first 512 KiB stored of each. Narrow it by agent_id, since and until. */
        search_in?: "record" | "output" | "logs" | undefined;
      }, options?: CallOptions) => Pages<UsageEntry>;
    /** The durations and queue times of an agent's runs */
    getLatencyDistribution: (agentId: string, query?: {
        /** Only runs that ended at or after this time. Left out: 30 days before `until`. */
        since?: string | undefined;
        /** Only runs that ended before this time. Left out: now. */
        until?: string | undefined;
      }, options?: CallOptions) => Promise<LatencyDistribution>;
    /** The token usage of an agent's runs */
    getTokenDistribution: (agentId: string, query?: {
        /** Only runs that ended at or after this time. Left out: 30 days before `until`. */
        since?: string | undefined;
        /** Only runs that ended before this time. Left out: now. */
        until?: string | undefined;
      }, options?: CallOptions) => Promise<TokenDistribution>;
    /** The number of runs in an agent's threads */
    getSessionDepth: (agentId: string, query?: {
        /** Created at or after this time. */
        since?: string | undefined;
        /** Created before this time. */
        until?: string | undefined;
      }, options?: CallOptions) => Promise<SessionDepth>;
    /** Export the usage of runs as a file */
    exportRuns: (query?: {
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
        /** The format of the file. */
        format?: "csv" | "ndjson" | undefined;
      }, options?: CallOptions) => Promise<Response>;
  };
  admin: {
    /** An overview of the service */
    getOverview: (options?: CallOptions) => Promise<AdminOverview>;
    /** The variables that this API runs with */
    getConfig: (options?: CallOptions) => Promise<ServiceConfig>;
    /** The workers */
    getFleet: (options?: CallOptions) => Promise<Fleet>;
    /** How busy the fleet was */
    getFleetHistory: (query?: {
        /** From this time on. Left out: 24 hours before `until`. */
        since?: string | undefined;
        /** Before this time. Left out: now. */
        until?: string | undefined;
        /** Only this pool. Left out: all pools together. */
        pool?: string | undefined;
      }, options?: CallOptions) => Promise<FleetHistory>;
    /** Drain a worker */
    drainWorker: (workerId: string, options?: CallOptions) => Promise<DismissedWorker>;
    /** Stop a worker at once */
    killWorker: (workerId: string, options?: CallOptions) => Promise<DismissedWorker>;
    /** The queues of runs and callbacks */
    listQueues: (options?: CallOptions) => Promise<Queues>;
    /** Pause a queue */
    pauseQueue: (queueId: string, options?: CallOptions) => Promise<QueueState>;
    /** Resume a queue */
    resumeQueue: (queueId: string, options?: CallOptions) => Promise<QueueState>;
    /** Callbacks and webhook deliveries that were given up, newest first */
    listDeadLetters: (query?: {
        /** The largest number of things to return. */
        limit?: number | undefined;
        /** The page starts after the thing with this id: `last_id` of the previous page. */
        after?: string | undefined;
        /** desc: newest first. asc: oldest first. */
        order?: "desc" | "asc" | undefined;
        /** Only things of this user. */
        user_id?: string | undefined;
        /** Only things of this run. */
        run_id?: string | undefined;
        /** Created at or after this time. */
        since?: string | undefined;
        /** Created before this time. */
        until?: string | undefined;
      }, options?: CallOptions) => Pages<DeadLetter>;
    /** Users, with the analytics of their last 30 days */
    listAllUsers: (query?: {
        /** The largest number of things to return. */
        limit?: number | undefined;
        /** The page starts after the thing with this id: `last_id` of the previous page. */
        after?: string | undefined;
        /** desc: newest first. asc: oldest first. */
        order?: "desc" | "asc" | undefined;
        /** Created at or after this time. */
        since?: string | undefined;
        /** Created before this time. */
        until?: string | undefined;
        /** Only users with this text in the id, name or email address. */
        search?: string | undefined;
      }, options?: CallOptions) => Pages<AdminUser>;
    /** All users' agents, with the analytics of their last 30 days */
    listAllAgents: (query?: {
        /** The largest number of things to return. */
        limit?: number | undefined;
        /** The page starts after the thing with this id: `last_id` of the previous page. */
        after?: string | undefined;
        /** desc: newest first. asc: oldest first. */
        order?: "desc" | "asc" | undefined;
        /** Only things with this status. */
        status?: "active" | "paused" | "archived" | undefined;
        /** Only things of this user. */
        user_id?: string | undefined;
        /** Only things with this text in the id or the name. */
        search?: string | undefined;
      }, options?: CallOptions) => Pages<StudioAgent>;
    /** All users' runs, newest first */
    listAllRuns: (query?: {
        /** The largest number of things to return. */
        limit?: number | undefined;
        /** The page starts after the thing with this id: `last_id` of the previous page. */
        after?: string | undefined;
        /** desc: the newest first, or the greatest of what `order_by` names. asc: the other way round. */
        order?: "desc" | "asc" | undefined;
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
        /** What the list is in order of. By `duration_ms` and `cost_usd` it has only runs that have one. With filters that more than 10,000 runs match, a page then looks at 10,000 runs at most, as with `search`. */
        order_by?: "created_at" | "duration_ms" | "cost_usd" | undefined;
        /** Fields that the items have, too: `input_payload`, `result_content`, `state_snapshot`, with commas between them. A page that grows too large ends early, with `has_more`. */
        include?: string | undefined;
        /** Where `search` looks. `output`: in the text that the run has output. `logs`: in its log lines. Both read transcripts, while they are kept: a page looks at 200 runs at most, and at the first 512 KiB stored of each. Narrow it by agent_id, since and until. */
        search_in?: "record" | "output" | "logs" | undefined;
      }, options?: CallOptions) => Pages<RunListItem>;
    /** End a run at once, even if its worker hangs */
    killRun: (runId: string, body?: {
      reason?: string | undefined;
    }, options?: CallOptions) => Promise<Run>;
    /** All users' daemons, newest first */
    listAllDaemons: (query?: {
        /** The largest number of things to return. */
        limit?: number | undefined;
        /** The page starts after the thing with this id: `last_id` of the previous page. */
        after?: string | undefined;
        /** desc: newest first. asc: oldest first. */
        order?: "desc" | "asc" | undefined;
        /** Only daemons with this status. */
        status?: "stopped" | "starting" | "running" | "degraded" | "paused" | "stopping" | "crashed" | "backoff" | "failed" | undefined;
        /** Only daemons of this user. */
        user_id?: string | undefined;
      }, options?: CallOptions) => Pages<Daemon>;
    /** Costs by user or agent, highest first */
    getCosts: (query?: {
        /** Only runs that ended at or after this time. Left out: 30 days before `until`. */
        since?: string | undefined;
        /** Only runs that ended before this time. Left out: now. */
        until?: string | undefined;
        /** What the costs are grouped by. */
        by?: "user" | "agent" | undefined;
        /** The largest number of groups to return, the most expensive first. */
        limit?: number | undefined;
      }, options?: CallOptions) => Promise<Costs>;
    /** The audit log, newest first */
    listAudit: (query?: {
        /** The largest number of things to return. */
        limit?: number | undefined;
        /** The page starts after the thing with this id: `last_id` of the previous page. */
        after?: string | undefined;
        /** desc: newest first. asc: oldest first. */
        order?: "desc" | "asc" | undefined;
        /** Only acts on this user's things. */
        user_id?: string | undefined;
        /** A key's id, `open`, `bootstrap`, `internal`, or `service`: the service itself. */
        actor?: string | undefined;
        /** An operation's name, such as `update_agent`. */
        action?: string | undefined;
        /** The kind of the changed thing, such as `agent`. */
        target_type?: string | undefined;
        /** The id of the changed thing. */
        target_id?: string | undefined;
        /** Created at or after this time. */
        since?: string | undefined;
        /** Created before this time. */
        until?: string | undefined;
      }, options?: CallOptions) => Pages<AuditEntry>;
  };
  billing: {
    /** Your balance, your plan and this week's usage */
    getWallet: (query?: {
        /** The user, with AUTH_MODE=open or for an admin. Otherwise it is the key's owner. */
        user_id?: string | undefined;
      }, options?: CallOptions) => Promise<Wallet>;
    /** Plans, newest first */
    listPlans: (query?: {
        /** The largest number of things to return. */
        limit?: number | undefined;
        /** The page starts after the thing with this id: `last_id` of the previous page. */
        after?: string | undefined;
        /** desc: newest first. asc: oldest first. */
        order?: "desc" | "asc" | undefined;
      }, options?: CallOptions) => Pages<Plan>;
    /** Create or change a plan */
    putPlan: (planId: string, body: PlanBody, options?: CallOptions) => Promise<Plan>;
    /** Subscriptions, newest first */
    listSubscriptions: (query?: {
        /** The largest number of things to return. */
        limit?: number | undefined;
        /** The page starts after the thing with this id: `last_id` of the previous page. */
        after?: string | undefined;
        /** desc: newest first. asc: oldest first. */
        order?: "desc" | "asc" | undefined;
        /** Only things of this user. */
        user_id?: string | undefined;
        /** Created at or after this time. */
        since?: string | undefined;
        /** Created before this time. */
        until?: string | undefined;
        /** Only things with this status. */
        status?: "incomplete" | "incomplete_expired" | "trialing" | "active" | "past_due" | "unpaid" | "paused" | "canceled" | undefined;
      }, options?: CallOptions) => Pages<Subscription>;
    /** Subscribe to a free plan */
    createSubscription: (body: SubscriptionBody, options?: CallOptions) => Promise<Subscription>;
    /** A subscription */
    getSubscription: (subscriptionId: string, options?: CallOptions) => Promise<Subscription>;
    /** Cancel a subscription */
    cancelSubscription: (subscriptionId: string, query?: {
        /** True: the subscription ends now instead of at the end of the period. */
        at_once?: boolean | undefined;
      }, options?: CallOptions) => Promise<Subscription>;
    /** Resume a subscription */
    resumeSubscription: (subscriptionId: string, options?: CallOptions) => Promise<Subscription>;
    /** Bookings of wallets, newest first */
    listTransactions: (query?: {
        /** The largest number of things to return. */
        limit?: number | undefined;
        /** The page starts after the thing with this id: `last_id` of the previous page. */
        after?: string | undefined;
        /** desc: newest first. asc: oldest first. */
        order?: "desc" | "asc" | undefined;
        /** Only things of this user. */
        user_id?: string | undefined;
        /** Created at or after this time. */
        since?: string | undefined;
        /** Created before this time. */
        until?: string | undefined;
        /** Only bookings of this type. */
        type?: "top_up" | "refund" | "usage" | "grant" | undefined;
      }, options?: CallOptions) => Pages<Transaction>;
    /** Credit or correct a user's wallet */
    createTransaction: (body: TransactionBody, options?: CallOptions) => Promise<Transaction>;
    /** Payments, newest first */
    listPayments: (query?: {
        /** The largest number of things to return. */
        limit?: number | undefined;
        /** The page starts after the thing with this id: `last_id` of the previous page. */
        after?: string | undefined;
        /** desc: newest first. asc: oldest first. */
        order?: "desc" | "asc" | undefined;
        /** Only things of this user. */
        user_id?: string | undefined;
        /** Created at or after this time. */
        since?: string | undefined;
        /** Created before this time. */
        until?: string | undefined;
        /** Only things with this status of the payment provider. */
        status?: string | undefined;
      }, options?: CallOptions) => Pages<Payment>;
    /** Invoices, newest first */
    listInvoices: (query?: {
        /** The largest number of things to return. */
        limit?: number | undefined;
        /** The page starts after the thing with this id: `last_id` of the previous page. */
        after?: string | undefined;
        /** desc: newest first. asc: oldest first. */
        order?: "desc" | "asc" | undefined;
        /** Only things of this user. */
        user_id?: string | undefined;
        /** Created at or after this time. */
        since?: string | undefined;
        /** Created before this time. */
        until?: string | undefined;
        /** Only things with this status of the payment provider. */
        status?: string | undefined;
      }, options?: CallOptions) => Pages<Invoice>;
    /** The usage and cost of each run, newest first */
    listUsage: (query?: {
        /** The largest number of things to return. */
        limit?: number | undefined;
        /** The page starts after the thing with this id: `last_id` of the previous page. */
        after?: string | undefined;
        /** desc: newest first. asc: oldest first. */
        order?: "desc" | "asc" | undefined;
        /** Only things of this user. */
        user_id?: string | undefined;
        /** Created at or after this time. */
        since?: string | undefined;
        /** Created before this time. */
        until?: string | undefined;
        /** Only things of this agent. */
        agent_id?: string | undefined;
        /** Only things of this run. */
        run_id?: string | undefined;
      }, options?: CallOptions) => Pages<UsageRecord>;
    /** Set the spend limit of a day, a week or a month */
    putSpendLimit: (body: SpendLimitBody, options?: CallOptions) => Promise<Wallet>;
    /** Create a checkout page for a plan or a wallet top-up */
    createCheckout: (body: CheckoutBody, options?: CallOptions) => Promise<HostedPage>;
    /** Create a page for managing cards, invoices and subscriptions */
    createPortal: (body: PortalBody, options?: CallOptions) => Promise<HostedPage>;
    /** Signed events of the payment provider, newest first */
    listEvents: (query?: {
        /** The largest number of things to return. */
        limit?: number | undefined;
        /** The page starts after the thing with this id: `last_id` of the previous page. */
        after?: string | undefined;
        /** desc: newest first. asc: oldest first. */
        order?: "desc" | "asc" | undefined;
        /** Only things with this status. */
        status?: "applied" | "waiting" | "unreadable" | "ignored" | undefined;
        /** Only events of this type, such as `invoice.paid`. */
        type?: string | undefined;
        /** Created at or after this time. */
        since?: string | undefined;
        /** Created before this time. */
        until?: string | undefined;
      }, options?: CallOptions) => Pages<BillingEvent>;
    /** Read and apply a stored event again */
    reapplyEvent: (eventId: string, options?: CallOptions) => Promise<BillingEvent>;
  };
  internal: {
    /** The maintenance jobs, each with its last run */
    listJobs: (options?: CallOptions) => Promise<InternalJobs>;
    /** Run a maintenance job now */
    runJob: (name: string, query?: {
        /** True: nothing is changed, and the result counts what would be changed. */
        dry_run?: boolean | undefined;
      }, options?: CallOptions) => Promise<InternalJobTurn>;
  };
  system: {
    /** The service's name, version and documentation */
    service: (options?: CallOptions) => Promise<Service>;
    /** The status of Postgres, Redis and the workers */
    health: (options?: CallOptions) => Promise<Health>;
    /** Liveness: this process answers */
    healthLive: (options?: CallOptions) => Promise<{
      status: "ok";
    }>;
    /** Readiness: this process can accept runs */
    healthReady: (options?: CallOptions) => Promise<{
      status: "ok";
    }>;
    /** Metrics for Prometheus */
    metrics: (options?: CallOptions) => Promise<Response>;
    /** This document */
    openapi: (options?: CallOptions) => Promise<Record<string, unknown>>;
    /** The JSON Schema of runfleet.json */
    configSchemaRunfleetSchemaJsonGe: (options?: CallOptions) => Promise<Record<string, unknown>>;
  };
};
