/**
 * All errors that a client may get, by kind: the HTTP status of the kind, and each machine-readable `code` with its meaning. Only
 * these codes can be thrown. The OpenAPI document lists them for the operations that throw them.
 */
export const errorKinds = {
  bad_request: {
    status: 400,
    codes: {
      malformed_url: "The URL's path is not valid percent-encoding.",
      body_incomplete: "The connection ended before the whole body was received.",
      content_encoding_not_supported: "The body has a Content-Encoding, which is not supported.",
      bad_event_id: "`Last-Event-ID` or `after` is not an event id such as 1-17.",
      malformed_cursor: "`Last-Event-ID` or `after` is not an id of this stream.",
      invalid_signature: "The signature in the headers is no valid and recent one of the body.",
      invalid_event: "The body is not an event of the payment provider in JSON.",
    },
  },
  unauthorized: {
    status: 401,
    codes: {
      missing_key: "The request has no key. Send it as Authorization: Bearer <key>, or as X-Api-Key: <key>.",
      invalid_key: "The key is unknown, revoked or expired.",
      key_in_url: "An API key was sent as ?token=. Only a run's read token may be.",
      invalid_code: "The sign-in code is unknown, was used or is older than a minute.",
      invalid_session: "The session has ended or expired.",
      session_not_counted:
        "A session's cookie counts only for a page of the same origin, and for a write only with the header X-Runfleet-Console: 1.",
    },
  },
  quota_exceeded: {
    status: 402,
    codes: {
      wallet_empty: "The plan is prepaid, and the wallet is empty.",
      spend_limit_reached: "A spend limit of the user is reached.",
      weekly_runs_reached: "The plan's weekly number of runs is reached.",
      weekly_spend_reached: "The plan's weekly spend is reached.",
      payment_required: "The plan has a price. Buy it with POST /v1/billing/checkout.",
    },
  },
  forbidden: {
    status: 403,
    codes: {
      missing_scope: "The key lacks the required scope.",
      run_token: "A run's read token may only read its run.",
      cross_site_request: "A web page of another origin sent this write. Only origins in ALLOWED_ORIGINS may.",
      no_sign_in: "This key signs nobody in: it reads one run only, or is the token of the internal operations.",
      foreign_user_id: "The key can't act for the user that the request names.",
    },
  },
  not_found: {
    status: 404,
    codes: {
      not_found: "No operation has this path.",
      agent_not_found: "No agent with this id, or it belongs to another user. The same holds for all `…_not_found`.",
      address_not_found: "No address of ours, or it has expired.",
      artifact_not_found: "No artifact with this id, or its content was deleted.",
      asset_not_found: "No file with this name.",
      billing_event_not_found: "No signed event of the payment provider with this id.",
      build_not_found: "The version needs no build.",
      bulk_operation_not_found: "No bulk operation with this id.",
      connection_not_found: "No connection with this name.",
      delivery_not_found: "No delivery with this id.",
      error_group_not_found: "No failed run of the time range has an error with this fingerprint.",
      hook_not_found: "No hook with this id.",
      internal_job_not_found: "No internal job with this name.",
      job_not_found: "No job with this id.",
      key_not_found: "No key with this id.",
      notification_not_found: "No notification with this id.",
      plan_not_found: "No active plan with this id.",
      queue_not_found: "No queue with this name.",
      run_not_found: "No run with this id.",
      session_not_found: "No session with this id, or it has ended.",
      secret_not_found: "No secret with this name.",
      store_item_not_found: "No item with this namespace and key, or it has expired.",
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
    codes: { method_not_allowed: "The path has no such method. The header Allow lists its methods." },
  },
  conflict: {
    status: 409,
    codes: {
      agent_id_taken: "An agent of another user has the id, or had it before it was deleted.",
      agent_in_use: "A run of the agent has not ended, or its daemon has not stopped.",
      agent_not_active: "The agent is paused or archived.",
      deleted_meanwhile: "Something that the request refers to was deleted at the same time.",
      delivery_not_kept: "The delivery started nothing, so its request was not kept.",
      hook_paused: "The hook is paused. Send the delivery again later.",
      hook_without_secret: "The hook has no secret yet, so it can't verify deliveries.",
      interrupt_closed: "The run is not waiting for an answer to this interrupt, or the interrupt has expired.",
      job_ended: "The job is completed or cancelled.",
      job_running: "The internal job is running already.",
      no_callback: "The run has no callback, or has not ended.",
      notification_gone: "The notification with the dedup_key was deleted at the same time. Send the request again.",
      parent_not_ended: "The run that has started the run has not ended, and may read its result.",
      plan_not_for_sale: "The plan has no price at the payment provider.",
      price_taken: "Another plan has the provider_price_id.",
      provider_refused:
        "The payment provider refused the request. `detail` has its message, or the API's log where it is the operator's.",
      replay_incomplete: "The run's env_vars and files were deleted when it ended and must be sent again.",
      request_in_progress: "The first request with this Idempotency-Key has not been answered yet.",
      run_ended: "The run has ended, and takes no more.",
      run_already_ended: "The run has ended with another status.",
      run_id_taken: "The run id belongs to another request.",
      run_not_ended: "The run has not ended.",
      run_not_interrupted: "The run is not waiting for an answer.",
      run_not_running: "The run is not running.",
      still_running: "The job's previous run has not ended, and the overlap policy is skip.",
      subscription_canceled: "The subscription has ended.",
      thread_busy: "A run of the thread has not ended.",
      thread_exists: "A thread with this id exists.",
      thread_too_large: "The thread's messages are more than a fork copies.",
      too_many_bulk_operations: "The user has 20 bulk operations that aren't done.",
      too_many_agents: "The user has as many agents as AGENTS_PER_USER allows.",
      event_unreadable: "The event of the payment provider still can't be read; the sentence says where.",
      daemon_stopped: "An operator stopped the agent's daemon. It takes no messages until it is started.",
      too_many_connections: "The user has as many connections as CONNECTIONS_PER_USER allows.",
      too_many_secrets: "The user has as many secrets as SECRETS_PER_USER allows.",
      too_many_daemons: "The user has as many started daemons as DAEMONS_PER_USER allows.",
      too_many_hooks: "The user has as many hooks as HOOKS_PER_USER allows.",
      too_many_inputs: "The run has as many signals that nothing has taken yet as it may.",
      too_many_jobs: "The user has as many jobs that have not ended as JOBS_PER_USER allows.",
      too_many_keys: "The user has as many valid keys as KEYS_PER_USER allows.",
      too_many_store_items: "The user has as many items in the store as STORE_ITEMS_PER_USER allows.",
      sign_in_not_needed: "The service runs with AUTH_MODE=open: nobody signs in.",
      too_many_codes: "The user has 100 sign-in codes that nobody has used. They expire within a minute.",
      too_many_threads: "The user has as many threads as THREADS_PER_USER allows.",
      too_many_webhooks: "The user has as many webhooks as WEBHOOKS_PER_USER allows.",
      user_exists: "A user with this id exists.",
      user_has_subscription: "The payment provider charges for the user's subscription, which must be cancelled first.",
      user_has_agents: "The user has agents, which must be deleted first.",
      version_archived: "The version is archived.",
      version_exists: "The version exists with another config, and versions are immutable.",
      version_name_taken: "The name of the version or tag is that of a tag or version of the same agent.",
      version_is_current: "The current version can't be archived.",
    },
  },
  payload_too_large: {
    status: 413,
    codes: { payload_too_large: "The body is larger than the limit that `detail` names." },
  },
  misdirected: {
    status: 421,
    codes: {
      host_not_allowed:
        "Without keys (AUTH_MODE=open) only names of this machine and hosts in ALLOWED_HOSTS are answered.",
    },
  },
  too_many_requests: {
    status: 429,
    codes: {
      rate_limited: "Too many requests within a minute. The header Retry-After says when to try again.",
      agent_queue_full: "The agent has too many queued runs (AGENT_QUEUE_LIMIT).",
      owner_queue_full: "The user has too many queued runs (OWNER_QUEUE_LIMIT).",
      too_many_open_runs: "The plan's number of runs at the same time is reached.",
      too_many_queued_runs: "The plan's number of queued runs is reached.",
      too_many_streams:
        "The user has as many open streams and waiting requests as STREAMS_PER_USER allows. The header Retry-After says when to try again.",
      too_many_runs: "The job has too many runs that have not ended.",
    },
  },
  internal: { status: 500, codes: { internal_error: "An error of the service itself. Its log has the request_id." } },
  unavailable: {
    status: 503,
    codes: {
      dependency_unavailable: "The database or Redis is not reachable. The header Retry-After says when to try again.",
      daemon_failed: "The agent's daemon has failed and must be started again.",
      leaving: "This process is shutting down.",
      lifecycle_unavailable: "No live worker offers the lifecycle.",
      no_payment_provider: "No payment provider is configured.",
      no_webhook_secret: "STRIPE_WEBHOOK_SECRET is not set, so events of the payment provider can't be verified.",
      no_worker: "No live worker offers the required adapter.",
      postgres_down: "Postgres does not answer.",
      postgres_read_only: "Postgres answers and takes no writes, as during a failover.",
      provider_unavailable: "The payment provider does not answer.",
      queue_full: "The queue is full (QUEUE_LIMIT).",
      too_many_bodies: "The service is reading as many bodies of the caller, or of requests without a key, as it may.",
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
