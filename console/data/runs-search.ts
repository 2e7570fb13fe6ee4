import type { RunStatus } from "../../sdk/ts/index.ts";

export const statuses = [
  "running",
  "queued",
  "scheduled",
  "interrupted",
  "suspended",
  "success",
  "error",
  "timeout",
  "cancelled",
  "expired",
] as const satisfies readonly RunStatus[];

/** Ranges that end now. The address keeps their name, so that a bookmark stays recent. */
export const ranges = { "1h": 3_600_000, "24h": 86_400_000, "7d": 604_800_000, "30d": 2_592_000_000 } as const;
export type RangeName = keyof typeof ranges;

export const isRange = (name: unknown): name is RangeName => typeof name === "string" && Object.hasOwn(ranges, name);

const texts = [
  "agent_id",
  "version",
  "thread_id",
  "job_id",
  "replay_of",
  "bulk_id",
  "worker_id",
  "origin",
  "lifecycle",
  "error_code",
  "tag",
  "since",
  "until",
  "search",
] as const;
type TextName = (typeof texts)[number];

/** The filters of the list of runs. The page's address is the only place where they are. */
export type RunsSearch = { [name in TextName]?: string | undefined } & {
  status?: RunStatus[] | undefined;
  last?: RangeName | undefined;
  /** Without it the newest run is first. */
  order_by?: SortKey | undefined;
  /** Without it the greatest is first. */
  order?: "asc" | undefined;
};

const sortKeys = ["duration_ms", "cost_usd"] as const;
/** What the list can be in order of, beside its runs' age. */
export type SortKey = (typeof sortKeys)[number];

/** Returns the filters of an address. What it doesn't know is left out. */
export function readRunsSearch(given: Record<string, unknown>): RunsSearch {
  const search: RunsSearch = {};
  for (const name of texts) if (isText(given[name])) search[name] = given[name];
  for (const name of ["since", "until"] as const) if (Number.isNaN(Date.parse(search[name] ?? ""))) delete search[name];
  const { status, last, order_by, order } = given;
  const named = [status].flat().filter((one): one is RunStatus => statuses.includes(one as RunStatus));
  if (named.length > 0) search.status = named;
  if (isRange(last)) search.last = last;
  if (sortKeys.includes(order_by as SortKey)) search.order_by = order_by as SortKey;
  if (search.order_by && order === "asc") search.order = order;
  return search;
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

/** The filters of `GET /v1/runs`. */
export type RunsQuery = Omit<RunsSearch, "last" | "origin" | "lifecycle" | "order_by" | "order"> & {
  origin?: "api" | "job" | "daemon" | "replay" | undefined;
  lifecycle?: "serverless" | "interactive" | "daemon" | undefined;
};

/** Returns the filters as the service takes them. */
export function toRunsQuery({ last, order_by: _by, order: _order, ...search }: RunsSearch): RunsQuery {
  // The service checks the values itself, and says which are allowed.
  const query = search as RunsQuery;
  return last === undefined ? query : { ...query, since: new Date(Date.now() - ranges[last]).toISOString() };
}
