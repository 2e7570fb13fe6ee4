import { queryOptions, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useEffect } from "react";
import type { Run } from "../../sdk/ts/index.ts";
import { client, renew } from "./client.ts";
import type { RunStream } from "./use-run-stream.ts";

/** The run's record. While the run goes on, it is read anew now and then. */
export const runQuery = (id: string) =>
  queryOptions({
    queryKey: ["run", id],
    queryFn: () => client.runs.get(id),
    refetchInterval: ({ state }) => (state.data?.completed_at === null ? 5_000 : false),
  });

/** The run's record. */
export const useRun = (id: string): UseQueryResult<Run> => useQuery(runQuery(id));

/**
 * The record follows the stream: what an event has changed is read at once. A record that is being read meanwhile is read again,
 * since that answer may be from before the event.
 */
export function useRecordOfEvents(id: string, { lastMove }: RunStream): void {
  useEffect(() => {
    if (lastMove !== null) void renew(["run", id]);
  }, [id, lastMove]);
}
