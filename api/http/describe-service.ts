/** What a reader of the document must know before he looks at any one operation; Markdown. */
export const introduction = `
Agent execution service: publish versions of an agent, run them in sandboxes, read what they say while they say it, and be told
when they end.

**Begin.** \`POST /v1/agents\` publishes an agent, \`POST /v1/execute\` runs it and answers with its events. A reader that was
cut goes on at \`GET /v1/runs/{run_id}/stream\` with \`Last-Event-ID\`, and misses nothing.

**Keys.** With \`AUTH_MODE=key\` every request needs \`Authorization: Bearer <key>\`, and the key the scope that its operation
names. A key acts for one user: what is somebody else's isn't found (404). With \`AUTH_MODE=open\` nobody is asked, and a thing
belongs to the \`user_id\` that its request names, or to \`public\`.

**Faults.** Each is \`{detail, code, request_id}\`; \`code\` is for programs and doesn't change, and each operation lists its own.
A request of the wrong shape is a 422 whose \`detail\` names every place that is wrong. 429 and 503 say in \`Retry-After\` how many
seconds to wait.

**Repeats.** A POST with an \`Idempotency-Key\`, where it is taken, is done once: whoever repeats it gets the first one's answer.
An execute request may as well name its own \`run_id\`.

**Pages.** A list gives \`limit\` things from \`after\` on. While \`has_more\` is true, ask again with the page's \`last_id\` as
\`after\`.

**Units.** Times are RFC 3339 in UTC, \`_ms\` are milliseconds, \`_micro_usd\` are millionths of a dollar.
`.trim();

/** What each part of the service is for. */
export const areas: Record<string, string> = {
  Execute: "Starting runs: one, many, again, or only checking whether one would be accepted.",
  Runs: "What runs do and did: their record, stream, logs, timeline, files and callbacks.",
  Agents: "Agents, their secrets and their kill switch.",
  Versions: "What an agent is made of. A version is immutable; `current` and tags point at one.",
  Threads: "Runs that follow on one another, with the messages and the state that they share.",
  Jobs: "Runs at given times: by cron, by an interval, or once.",
  Users: "Users, API keys, and the secret that callbacks are signed with.",
  Daemons: "Agents whose process stays and takes messages.",
  Notifications: "News for a user, such as runs that failed and budgets that are used up.",
  Webhooks: "Standing receivers of events, their deliveries and their secrets.",
  Studio: "Figures of runs: over time, by agent, how they are spread; and exports.",
  Admin: "For operators: the fleet, queues, dead letters, costs, the audit log, everybody's things.",
  Billing: "Plans, wallets, payments, and what runs cost. Money comes by the payment provider's webhook.",
  Internal: "The service's own chores. Workers do them by the clock; here they can be asked for.",
  System: "Health, metrics and this document. Public, but for the metrics.",
};
