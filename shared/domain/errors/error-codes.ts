/**
 * Every fault that a client may be told: its kind, the HTTP status of the kind, and each machine-readable `code` with what
 * it means. What isn't here can't be thrown; the OpenAPI document says it of the operations that throw it.
 */
export const errorKinds = {
  bad_request: {
    status: 400,
    codes: {
      malformed_url: "The URL is not percent-encoded text.",
      body_incomplete: "The body broke off.",
      content_encoding_not_supported: "The body came with a Content-Encoding.",
      bad_event_id: "The event id to go on after is not like 1-17.",
      malformed_cursor: "The id to go on after is not one of this stream's.",
      invalid_signature: "The header Stripe-Signature doesn't sign this body.",
      invalid_event: "The signed body is not an event in JSON.",
    },
  },
  unauthorized: {
    status: 401,
    codes: {
      missing_key: "No key was sent: Authorization: Bearer <key>.",
      invalid_key: "The key is unknown, revoked or expired.",
      key_in_url: "Only a run's read token may be sent as ?token=.",
    },
  },
  quota_exceeded: {
    status: 402,
    codes: {
      wallet_empty: "The plan is prepaid, and the wallet is empty.",
      spend_limit_reached: "The user's own spend limit is reached.",
      weekly_runs_reached: "The plan's runs of this week are used up.",
      weekly_spend_reached: "The plan's money of this week is used up.",
      payment_required: "The plan has a price: it is subscribed to by POST /v1/billing/checkout.",
    },
  },
  forbidden: {
    status: 403,
    codes: {
      missing_scope: "The key lacks the scope that this takes.",
      run_token: "The key only reads its run.",
      cross_site_request: "A web page of another origin sent this write; ALLOWED_ORIGINS names those that may.",
      foreign_user_id: "The key acts for another user than the one who is named.",
    },
  },
  not_found: {
    status: 404,
    codes: {
      not_found: "There is nothing under this path.",
      agent_not_found: "No agent with this id, or it is somebody else's; so with all things that are not found.",
      artifact_not_found: "No artifact with this id, or its content is gone.",
      asset_not_found: "No such file.",
      bulk_operation_not_found: "No bulk operation with this id.",
      delivery_not_found: "No delivery with this id.",
      internal_job_not_found: "No internal job with this name.",
      job_not_found: "No job with this id.",
      key_not_found: "No key with this id.",
      notification_not_found: "No notification with this id.",
      plan_not_found: "No plan with this id that is offered.",
      queue_not_found: "No queue with this name.",
      run_not_found: "No run with this id.",
      secret_not_found: "No secret with this name.",
      subscription_not_found: "No subscription with this id.",
      tag_not_found: "No tag with this name.",
      thread_not_found: "No thread with this id.",
      user_not_found: "No user with this id.",
      version_not_found: "No version with this name, number or tag.",
      webhook_not_found: "No webhook with this id.",
      worker_not_found: "No worker with this id.",
    },
  },
  method_not_allowed: {
    status: 405,
    codes: { method_not_allowed: "The path takes other methods; the header Allow names them." },
  },
  conflict: {
    status: 409,
    codes: {
      agent_id_taken: "Another agent has the id.",
      agent_in_use: "A run of the agent has not ended, or its daemon has not stopped.",
      agent_not_active: "The agent is paused or archived.",
      deleted_meanwhile: "Something that the request needs was deleted meanwhile.",
      interrupt_closed: "The run doesn't wait for an answer to this question.",
      job_ended: "The job is completed or cancelled.",
      job_running: "A turn of the internal job is under way.",
      no_callback: "The run owes no callback, or not yet.",
      notification_gone: "What stood under the dedup_key was deleted meanwhile; try again.",
      plan_not_for_sale: "The plan has no price at the payment provider.",
      price_taken: "Another plan has the provider's price.",
      provider_refused: "The payment provider refused, in the words of `detail`.",
      replay_incomplete: "The run's env_vars and files were wiped and are to be given anew.",
      request_in_progress: "The first request with this Idempotency-Key is still at work.",
      run_already_ended: "The run has ended otherwise.",
      run_id_taken: "The run id stands for another request.",
      run_not_ended: "The run has not ended.",
      run_not_interrupted: "The run doesn't wait for an answer, or not any more.",
      run_not_running: "No worker runs the run now.",
      still_running: "The job's run before has not ended, and its overlap policy is skip.",
      subscription_canceled: "The subscription has ended.",
      thread_busy: "A run of the thread has not ended.",
      thread_exists: "Another thread has the id.",
      too_many_agents: "The user has as many agents as one may have (AGENTS_PER_USER).",
      too_many_daemons: "As many of the user's daemons are started as may be (DAEMONS_PER_USER).",
      too_many_jobs: "As many of the user's jobs have not ended as may be (JOBS_PER_USER).",
      too_many_keys: "The user has as many live keys as one may have (KEYS_PER_USER); revoke one.",
      too_many_threads: "The user has as many threads as one may have (THREADS_PER_USER).",
      too_many_webhooks: "The user has as many webhooks as one may have (WEBHOOKS_PER_USER).",
      user_exists: "Another user has the id.",
      user_has_agents: "The user's agents are to be deleted first.",
      version_archived: "The version is archived.",
      version_exists: "The version stands with another config; versions are immutable.",
      version_is_current: "The current version can't be archived; upgrade first.",
    },
  },
  payload_too_large: {
    status: 413,
    codes: { payload_too_large: "The body is larger than the bytes that `detail` names." },
  },
  misdirected: {
    status: 421,
    codes: { host_not_allowed: "Without keys, only the hosts of this machine and of ALLOWED_HOSTS are answered." },
  },
  too_many_requests: {
    status: 429,
    codes: {
      rate_limited: "Too many requests within a minute; the header Retry-After says when to come again.",
      agent_queue_full: "Too many runs of the agent wait already.",
      owner_queue_full: "Too many runs of the owner wait already.",
      too_many_open_runs: "The plan's number of runs at once is reached.",
      too_many_queued_runs: "The plan's number of queued runs is reached.",
      too_many_streams:
        "As many streams of the user are open as may be (STREAMS_PER_USER); the header Retry-After says when to come again.",
      too_many_runs: "Too many runs of the job have not ended.",
    },
  },
  internal: { status: 500, codes: { internal_error: "A fault of the service's own; its log knows the request_id." } },
  unavailable: {
    status: 503,
    codes: {
      dependency_unavailable:
        "A part of the service can't be reached now; the header Retry-After says when to try again.",
      daemon_failed: "The agent's daemon crashed too often and has to be started again.",
      leaving: "This process is going away.",
      lifecycle_unavailable: "No live worker offers the lifecycle.",
      no_payment_provider: "No payment provider is configured.",
      no_webhook_secret: "STRIPE_WEBHOOK_SECRET is not set, so no event of the payment provider can be believed.",
      no_worker: "No live worker offers what this takes.",
      postgres_down: "Postgres does not answer.",
      provider_unavailable: "The payment provider can't be asked now.",
      queue_full: "Too many runs wait already.",
    },
  },
} as const;

/** The codes with which a user's plan, wallet or spend limit refuses a run. */
export const quotaErrors = [
  "wallet_empty",
  "spend_limit_reached",
  "weekly_runs_reached",
  "weekly_spend_reached",
  "too_many_queued_runs",
  "too_many_open_runs",
] as const;

/** The codes with which a valid request is refused for lack of capacity. */
export const capacityErrors = [...quotaErrors, "queue_full", "owner_queue_full", "agent_queue_full"] as const;

type Kinds = typeof errorKinds;
export type ErrorKind = keyof Kinds;
export type CodeOf<K extends ErrorKind> = { [Kind in K]: keyof Kinds[Kind]["codes"] }[K];
export type ErrorCode = CodeOf<ErrorKind>;
