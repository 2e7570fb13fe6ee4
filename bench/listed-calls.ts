import type { SeededWorld } from "./seed-runs.ts";

type Call = readonly [label: string, pathOf: (round: number) => string];

/** Returns the calls of lists and analytics, each with the filters that are hardest for it. Each round asks for other rows. */
export function listedCalls({ busy, quiet }: SeededWorld, runs: number): Call[] {
  const runAt = (round: number): string => `run-${String(1 + ((round * 7_919_993) % runs)).padStart(8, "0")}`;
  const user = (round: number): string => `user-${round % 50}`;
  const agent = (round: number): string => `agent-${round % 200}`;
  return [
    ...runCalls(runAt, user, agent),
    ...otherCalls({ busy, quiet }, agent, user),
    ...analyticsCalls({ busy, quiet }, agent),
  ];
}

type Named = (round: number) => string;

const runCalls = (runAt: Named, user: Named, agent: Named): Call[] => [
  ["GET /v1/runs", () => "/v1/runs"],
  ["… limit=100", () => "/v1/runs?limit=100"],
  ["… somewhere in the middle", (round) => `/v1/runs?after=${runAt(round)}`],
  ["… order=asc", () => "/v1/runs?order=asc"],
  ["… user_id", (round) => `/v1/runs?user_id=${user(round)}`],
  ["… agent_id", (round) => `/v1/runs?agent_id=${agent(round)}`],
  ["… agent_id & version", (round) => `/v1/runs?agent_id=${agent(round)}&version=1.0.${round % 3}`],
  ["… agent_id & a version without runs", () => "/v1/runs?agent_id=agent-0&version=9.9.9"],
  ["… version", () => "/v1/runs?version=1.0.1"],
  ["… two agents", (round) => `/v1/runs?agent_id=${agent(round)},${agent(round + 1)}`],
  ["… status=error,timeout", () => "/v1/runs?status=error,timeout"],
  ["… worker_id without runs", () => "/v1/runs?worker_id=nobody"],
  ["… error_code without runs", () => "/v1/runs?error_code=nothing"],
  ["GET /v1/runs/count", () => "/v1/runs/count"],
  ["… agent_id", (round) => `/v1/runs/count?agent_id=${agent(round)}`],
  ["… version", () => "/v1/runs/count?version=1.0.1"],
  ["GET /v1/runs?thread_id", (round) => `/v1/runs?thread_id=thread-0-${(round * 100 + 3) % 100_000}`],
  ...["success", "error", "expired", "queued", "running", "interrupted"].flatMap((status): Call[] => [
    [`… status=${status}`, () => `/v1/runs?status=${status}`],
    [`… status=${status} & user_id`, (round) => `/v1/runs?status=${status}&user_id=${user(round)}`],
    [`… status=${status} & agent_id`, (round) => `/v1/runs?status=${status}&agent_id=${agent(round)}`],
  ]),
  ["… a day", (round) => `/v1/runs?since=${daysAgo(round % 29)}&until=${daysAgo((round % 29) - 1)}`],
  ["… search, found often", (round) => `/v1/runs?search=number%20${round}`],
  ["… search, found nowhere", (round) => `/v1/runs?search=nowhere${round}`],
  ["… search, found nowhere, of a user", (round) => `/v1/runs?search=nowhere${round}&user_id=user-0`],
  ["… search, found nowhere, of an agent", (round) => `/v1/runs?search=nowhere${round}&agent_id=agent-0`],
  ["GET /v1/runs/{run_id}", (round) => `/v1/runs/${runAt(round)}`],
  ["… /timeline", (round) => `/v1/runs/${runAt(round)}/timeline`],
  ["… /callbacks", (round) => `/v1/runs/${runAt(round)}/callbacks`],
];

const otherCalls = ({ busy }: Pick<SeededWorld, "busy" | "quiet">, agent: Named, user: Named): Call[] => [
  ["GET /v1/agents", () => "/v1/agents?limit=100"],
  ["… search", (round) => `/v1/agents?search=agent%20${round}`],
  ["… /{agent_id}/runs", (round) => `/v1/agents/${agent(round)}/runs?limit=100`],
  ["… /{agent_id}/stats", (round) => `/v1/agents/${agent(round)}/stats`],
  ["… /{agent_id}/stats of the busiest", () => `/v1/agents/${busy.agent}/stats`],
  ["GET /v1/threads", () => "/v1/threads?limit=100"],
  ["… user_id", (round) => `/v1/threads?user_id=${user(round)}`],
  ["… search", () => "/v1/threads?search=nowhere"],
  ["GET /v1/users", () => "/v1/users?limit=50"],
  ["GET /v1/users/me/usage", (round) => `/v1/users/me/usage?user_id=${user(round)}`],
  ["… of the busiest", () => `/v1/users/me/usage?user_id=${busy.user}`],
  ["GET /v1/users/me/limits", (round) => `/v1/users/me/limits?user_id=${user(round)}`],
  ["GET /v1/daemons", () => "/v1/daemons"],
];

const analyticsCalls = ({ busy, quiet }: Pick<SeededWorld, "busy" | "quiet">, agent: Named): Call[] => [
  ["GET /v1/studio/overview", () => "/v1/studio/overview"],
  ["… unit=hour", () => "/v1/studio/overview?unit=hour"],
  ["… timezone=Asia/Kolkata", () => "/v1/studio/overview?timezone=Asia/Kolkata"],
  ["… a user", () => `/v1/studio/overview?user_id=${busy.user}`],
  ["GET /v1/studio/agents", () => "/v1/studio/agents"],
  ["… limit=100", () => "/v1/studio/agents?limit=100"],
  ...[busy.agent, quiet.agent].flatMap((id): Call[] => [
    [`… /${id}/stats`, () => `/v1/studio/agents/${id}/stats`],
    [`… /${id}/stats unit=hour`, () => `/v1/studio/agents/${id}/stats?unit=hour`],
    [`… /${id}/errors`, () => `/v1/studio/agents/${id}/errors`],
    [`… /${id}/latency-distribution`, () => `/v1/studio/agents/${id}/latency-distribution`],
    [`… /${id}/token-distribution`, () => `/v1/studio/agents/${id}/token-distribution`],
    [`… /${id}/session-depth`, () => `/v1/studio/agents/${id}/session-depth`],
  ]),
  ["… /{agent_id}/runs", (round) => `/v1/studio/agents/${agent(round)}/runs`],
  ["… /{agent_id}/usage-log", (round) => `/v1/studio/agents/${agent(round)}/usage-log?limit=100`],
  ["GET /v1/admin/overview", () => "/v1/admin/overview"],
  ["… /fleet", () => "/v1/admin/fleet"],
  ["… /queues", () => "/v1/admin/queues"],
  ["… /users", () => "/v1/admin/users?limit=50"],
  ["… /agents", () => "/v1/admin/agents"],
  ["… /runs", () => "/v1/admin/runs?limit=100"],
  ["… /daemons", () => "/v1/admin/daemons"],
  ["… /costs", () => "/v1/admin/costs"],
  ["… /costs by=agent", () => "/v1/admin/costs?by=agent"],
  ["… /dead-letters", () => "/v1/admin/dead-letters?limit=100"],
  ["… /dead-letters of a user", () => `/v1/admin/dead-letters?user_id=${quiet.user}`],
  ["… /audit", () => "/v1/admin/audit?limit=100"],
  ["… /audit action", () => "/v1/admin/audit?action=cancel_run"],
  ["… /audit actor without acts", () => "/v1/admin/audit?actor=nobody"],
  ["… /audit target", (round) => `/v1/admin/audit?target_type=run&target_id=run-${String(round * 4).padStart(8, "0")}`],
  ["… /audit user_id", () => `/v1/admin/audit?user_id=${busy.user}`],
];

const daysAgo = (days: number): string => new Date(Date.now() - days * 24 * 3_600_000).toISOString();
