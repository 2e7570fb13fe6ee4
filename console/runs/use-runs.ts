import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { UseInfiniteQueryResult, UseQueryResult } from "@tanstack/react-query";
import { useEffect, useMemo, useRef } from "react";
import type { RunCounts } from "../../sdk/ts/index.ts";
import { client, queryClient } from "../data/client.ts";
import { type RunsSearch, toRunsQuery } from "../data/runs-search.ts";
import { type ListedRun, mergeChanges } from "./merge-changes.ts";
import { useRunChanges } from "./use-run-changes.ts";

/** How often the list is asked for while its changes aren't told: by a search, in another order, or with too many pages open. */
const pollMs = 3_000;
/** What a run says of itself while it goes on is no change of the list. */
const progressMs = 15_000;
const countMs = 2_000;

type Runs = { query: Pick<UseInfiniteQueryResult, Used>; runs: ListedRun[] | undefined };
type Used = "error" | "refetch" | "hasNextPage" | "isFetching" | "fetchNextPage";

/** The list of runs, page after page. `isLive`: what is shown changes as the runs do. */
export function useRuns(search: RunsSearch, isLive: boolean): Runs {
  const readAt = useRef(0);
  const refetch = (): void => {
    void queryClient.invalidateQueries({ queryKey: ["runs"] });
    void queryClient.invalidateQueries({ queryKey: ["run-counts"] });
  };
  const { byId, isFollowing, forget } = useRunChanges(search, isLive, refetch);
  const query = useInfiniteQuery({
    queryKey: ["runs", search],
    queryFn: ({ pageParam, signal }) => {
      if (pageParam === undefined) readAt.current = performance.now();
      const { order_by, order } = search;
      return client.runs.list({ ...toRunsQuery(search), order_by, order, limit: 100 }, { signal }).page(pageParam);
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => (page.has_more ? (page.last_id ?? undefined) : undefined),
    placeholderData: keepPreviousData,
    // Who has read far is not asking for what is new.
    refetchInterval: ({ state }) => {
      const pages = state.data?.pages ?? [];
      if (!isLive || pages.length > 2) return false;
      if (!isFollowing || state.status === "error") return pollMs;
      return pages.some(({ data }) => data.some(({ status }) => status === "running")) ? progressMs : false;
    },
  });
  const { data, dataUpdatedAt, hasNextPage } = query;
  useEffect(() => forget(readAt.current), [dataUpdatedAt, forget]);
  useSoonAfter(byId, () => {
    void queryClient.invalidateQueries({ queryKey: ["run-counts"] });
    // What a run asks is no part of its change.
    if ([...byId.values()].some(({ status }) => status === "interrupted")) void query.refetch();
  });
  const runs = useMemo(
    () =>
      data &&
      mergeChanges(
        data.pages.flatMap((page) => page.data),
        byId,
        !hasNextPage,
      ),
    [data, byId, hasNextPage],
  );
  return { query, runs };
}

/** Calls `act` soon after changes came, once for all that came until then. */
function useSoonAfter(changes: ReadonlyMap<string, unknown>, act: () => void): void {
  const latest = useRef(act);
  useEffect(() => void (latest.current = act));
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  useEffect(() => {
    if (changes.size === 0) return;
    timer.current ??= setTimeout(() => {
      timer.current = null;
      latest.current();
    }, countMs);
  }, [changes]);
  useEffect(
    () => () => {
      if (timer.current !== null) clearTimeout(timer.current);
      timer.current = null;
    },
    [],
  );
}

/** How many runs each status has, whatever statuses are chosen. */
export const useRunCounts = ({
  status: _status,
  order_by: _by,
  order: _order,
  ...search
}: RunsSearch): UseQueryResult<RunCounts> =>
  useQuery({
    queryKey: ["run-counts", search],
    queryFn: ({ signal }) => client.runs.count(toRunsQuery(search), { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  });
