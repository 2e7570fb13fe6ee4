import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { StudioFigures } from "../../sdk/ts/index.ts";
import { client } from "../data/client.ts";

/** How a version did in the last 30 days. */
export const useVersionFigures = (agentId: string, version: string): UseQueryResult<StudioFigures> =>
  useQuery({
    queryKey: ["version-figures", agentId, version],
    queryFn: () => client.studio.getAgentStats(agentId, { version, unit: "month" }),
    staleTime: 60_000,
  });
