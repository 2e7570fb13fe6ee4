/** One of each thing that an operation's path or body can name, of one owner. */
type Thing =
  | "user_id"
  | "agent_id"
  | "version"
  | "tag"
  | "name"
  | "run_id"
  | "artifact_id"
  | "key_id"
  | "bulk_id"
  | "thread_id"
  | "job_id"
  | "notification_id"
  | "webhook_id"
  | "hook_id"
  | "connection_id"
  | "hook_delivery_id"
  | "delivery_id"
  | "worker_id"
  | "queue_id"
  | "plan_id"
  | "subscription_id"
  | "event_id"
  | "session_id"
  | "fingerprint"
  | "token";
export type World = Record<Thing, string>;

type Case = {
  body?: (world: World) => unknown;
  query?: (world: World) => string;
  params?: Partial<World>;
  /** What another owner's key is answered where that isn't a 404. */
  foreign?: number;
  /** What its owner is answered where that isn't done: the world's run has ended. */
  own?: number;
};

const runOf = ({ agent_id }: World) => ({ agent_id, version: "current" });

/** How operations are asked whose path alone doesn't say it, by name. */
export const authorizationCases: Record<string, Case> = {
  execute_agent: { body: runOf },
  execute_batch: { body: (world) => ({ requests: [runOf(world)] }), foreign: 202 },
  validate: { body: runOf },
  create_agent: { body: ({ user_id }) => ({ user_id, name: "made" }), foreign: 403 },
  update_agent: { body: () => ({ name: "new" }) },
  put_agent_secret: { body: () => ({ value: "value" }) },
  list_secrets: { query: ({ user_id }) => `?user_id=${user_id}`, foreign: 403 },
  put_secret: {
    body: () => ({ value: "value" }),
    query: ({ user_id }) => `?user_id=${user_id}`,
    foreign: 403,
  },
  delete_secret: { query: ({ user_id }) => `?user_id=${user_id}`, foreign: 403 },
  create_version: { body: () => ({ version: "3.0.0" }) },
  update_version: { body: () => ({ status: "deprecated" }) },
  put_tag: { body: () => ({ version: "2.0.0" }) },
  update_error_group: { body: () => ({ state: "resolved" }) },
  update_run: { body: () => ({ metadata: { note: "seen" } }) },
  preview_schedule: { body: () => ({ schedule: "@yearly" }), foreign: 200 },
  complete_run: { body: () => ({}) },
  report_progress: { body: () => ({ value: 0.5 }), own: 409 },
  resume_run: { body: () => ({ response: true }), own: 409 },
  upgrade_agent: { body: ({ agent_id, version }) => ({ agent_id, version }) },
  rollback_agent: { body: ({ agent_id, version }) => ({ agent_id, version }) },
  control_daemon: { body: ({ agent_id }) => ({ agent_id }) },
  create_daemon: { body: ({ agent_id }) => ({ agent_id }) },
  get_build: { own: 404 },
  stream_build: { own: 404 },
  reapply_billing_event: { own: 404 },
  start_daemon: { body: () => ({}) },
  stop_daemon: { body: () => ({}) },
  post_daemon_message: { body: () => ({ payload: {} }) },
  create_user: { body: () => ({ name: "new" }) },
  update_me: { body: () => ({ name: "me" }), query: ({ user_id }) => `?user_id=${user_id}`, foreign: 403 },
  update_user: { body: () => ({ name: "me" }) },
  get_me: { query: ({ user_id }) => `?user_id=${user_id}`, foreign: 403 },
  list_api_keys: { query: ({ user_id }) => `?user_id=${user_id}`, foreign: 403 },
  get_my_usage: { query: ({ user_id }) => `?user_id=${user_id}`, foreign: 403 },
  get_my_limits: { query: ({ user_id }) => `?user_id=${user_id}`, foreign: 403 },
  create_api_key: { body: ({ run_id }) => ({ run_id }) },
  // What signs in is no key.
  create_session: { body: () => ({ key: "x" }), own: 401 },
  end_current_session: { own: 204 },
  create_session_code: { foreign: 201 },
  list_sessions: { query: ({ user_id }) => `?user_id=${user_id}`, foreign: 403 },
  rotate_callback_secret: { body: ({ user_id }) => ({ user_id }), foreign: 403 },
  bulk_cancel_runs: { body: ({ agent_id }) => ({ filter: { agent_id }, preview: true }), foreign: 200 },
  bulk_replay_runs: { body: ({ agent_id }) => ({ filter: { agent_id }, preview: true }), foreign: 200 },
  create_thread: { body: ({ user_id }) => ({ user_id }), foreign: 403 },
  create_job: { body: (world) => ({ ...runOf(world), schedule: "@yearly" }) },
  backfill_job: { body: () => ({ from: "2020-01-01T00:00:00Z", to: "2020-01-02T00:00:00Z" }) },
  update_job: { body: () => ({ name: "new" }) },
  update_thread: { body: () => ({ title: "new" }) },
  set_thread_state: { body: () => ({ state_snapshot: "1" }) },
  create_notification: { body: ({ user_id }) => ({ user_id, type: "t", title: "T" }), foreign: 403 },
  read_notifications: { body: ({ notification_id }) => ({ ids: [notification_id] }), foreign: 200 },
  read_all_notifications: { body: ({ user_id }) => ({ user_id }), foreign: 403 },
  update_notification: { body: () => ({ read: true }) },
  put_notification_preferences: {
    body: () => ({ preferences: [] }),
    query: ({ user_id }) => `?user_id=${user_id}`,
    foreign: 403,
  },
  get_notification_preferences: { query: ({ user_id }) => `?user_id=${user_id}`, foreign: 403 },
  count_notifications: { query: ({ user_id }) => `?user_id=${user_id}`, foreign: 403 },
  stream_notifications: { query: ({ user_id }) => `?user_id=${user_id}`, foreign: 403 },
  create_webhook: {
    body: ({ user_id }) => ({ user_id, url: "https://example.com/", events: ["daemon.*"] }),
    foreign: 403,
  },
  update_webhook: { body: () => ({ status: "paused" }) },
  redeliver_webhook_delivery: { body: ({ delivery_id }) => ({ delivery_id }) },
  put_connection: {
    body: () => ({ preset: "openai", secret: "sk-12345678" }),
    query: ({ user_id }) => `?user_id=${user_id}`,
    foreign: 403,
  },
  get_connection: { query: ({ user_id }) => `?user_id=${user_id}`, foreign: 403 },
  delete_connection: { query: ({ user_id }) => `?user_id=${user_id}`, foreign: 403 },
  create_hook: { body: ({ agent_id }) => ({ agent_id, verify: "github" }) },
  update_hook: { body: () => ({ status: "active" }) },
  rotate_hook_secret: { body: () => ({ secret: "12345678" }), own: 422 },
  test_hook: { body: () => ({ body: {} }) },
  replay_hook_deliveries: { body: ({ hook_delivery_id }) => ({ delivery_id: hook_delivery_id }) },
  send_signal: { body: () => ({ payload: 1 }), own: 409 },
  send_message: { body: () => ({ payload: 1 }), own: 409 },
  // No such address was signed.
  send_signed_signal: { params: { token: "x" }, own: 404 },
  show_question: { params: { token: "x" }, own: 404 },
  answer_question: { params: { token: "x" }, own: 404 },
  receive_hook: { body: () => ({}), own: 202 },
  run_internal_job: { params: { name: "expire-queue" } },
  get_wallet: { query: ({ user_id }) => `?user_id=${user_id}`, foreign: 403 },
  put_plan: { body: () => ({ name: "Free" }) },
  create_subscription: { body: ({ user_id, plan_id }) => ({ user_id, plan_id }), foreign: 403 },
  create_transaction: { body: ({ user_id }) => ({ user_id, amount_micro_usd: 1 }) },
  put_spend_limit: { body: ({ user_id }) => ({ user_id, amount_micro_usd: 1 }), foreign: 403 },
  // No payment provider is configured.
  create_checkout: {
    body: ({ user_id }) => ({ user_id, amount_usd_cents: 100, success_url: "https://example.com/" }),
    foreign: 403,
    own: 503,
  },
  create_portal: { body: ({ user_id }) => ({ user_id, return_url: "https://example.com/" }), foreign: 403, own: 503 },
  put_store_item: {
    body: ({ user_id }) => ({ user_id, namespace: ["a"], key: "k", value: {} }),
    foreign: 403,
  },
  get_store_item: { query: ({ user_id }) => `?user_id=${user_id}&namespace=a&key=k`, foreign: 403, own: 404 },
  delete_store_item: { query: ({ user_id }) => `?user_id=${user_id}&namespace=a&key=k`, foreign: 403, own: 404 },
  search_store_items: { body: ({ user_id }) => ({ user_id }), foreign: 403 },
  list_store_namespaces: { body: ({ user_id }) => ({ user_id }), foreign: 403 },
  docs_asset: { params: { name: "swagger-ui.css" } },
};
