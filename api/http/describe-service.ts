/** The document's introduction, in Markdown: what a reader must know before any one operation. */
export const introduction = `
Agent execution service: publish versions of an agent, run them in sandboxes, read their output while they run, and be notified
when they end.

**Start.** \`POST /v1/agents\` publishes an agent. \`POST /v1/execute\` runs it and streams its events. A reader that was
disconnected resumes at \`GET /v1/runs/{run_id}/stream\` with \`Last-Event-ID\` and misses no event.

**Keys.** With \`AUTH_MODE=key\` every request needs \`Authorization: Bearer <key>\` or \`X-Api-Key: <key>\`, and the key needs the
scope that the operation names. A key acts for one user: what belongs to other users is not found (404). With \`AUTH_MODE=open\` no key is needed, and a
new thing belongs to the \`user_id\` in its request, or to \`public\`.

**Errors.** Each error is \`{detail, code, request_id}\`. \`code\` is for programs and does not change; each operation lists its
codes. A request of the wrong shape is a 422 whose \`detail\` lists every fault. A 429 or 503 says in \`Retry-After\` how many
seconds to wait.

**Repeated requests.** Where a POST accepts an \`Idempotency-Key\`, only the first request with the key is performed, and a
repeated one gets the first one's answer. An execute request can use its own \`run_id\` instead.

**Pages.** A list returns up to \`limit\` things that come after the id \`after\`. While \`has_more\` is true, request the next page
with this page's \`last_id\` as \`after\`.

**Units.** Times are RFC 3339 in UTC. \`_ms\` means milliseconds. \`_micro_usd\` means millionths of a dollar.
`.trim();

/** What each area of the API is for. */
export const areas: Record<string, string> = {
  Execute: "Start runs, one or many, or check whether a run would be accepted.",
  Runs: "Runs and what belongs to them: records, streams, logs, timelines, files and callbacks.",
  Agents: "Agents, their secrets and their kill switch.",
  Versions: "The code and config of an agent. A version is immutable; `current` and tags point at one.",
  Threads: "Runs that follow one another and share messages and a state.",
  Jobs: "Scheduled runs: by cron, by an interval, or once.",
  Users: "Users, API keys, and the secret that signs callbacks.",
  Sessions: "Browsers that are signed in, by a cookie instead of a key.",
  Daemons: "Agents with a process that stays up and receives messages.",
  Notifications: "Notifications for a user, such as failed runs and reached spend limits.",
  Store: "Values that clients and agents' programs keep by namespace and key.",
  Hooks: "Addresses whose signed deliveries start runs, such as webhooks of GitHub, Stripe and Slack.",
  Secrets: "Values that your agents get as environment variables, sealed and never shown.",
  Connections: "Services that agents call without knowing their keys: the gateway adds them.",
  Webhooks: "Endpoints that receive events, their deliveries and their secrets.",
  Studio: "Analytics of runs: over time, by agent, distributions and exports.",
  Admin: "For operators: the fleet, queues, dead letters, costs, the audit log, and the things of all users.",
  Billing: "Plans, wallets, payments, and the costs of runs. Payments are reported by the payment provider's webhook.",
  Internal: "Maintenance jobs of the service. Workers run them by the clock; here they can be started by request.",
  System: "Health, metrics and this document. All but the metrics are public.",
};
