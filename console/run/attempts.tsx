import { useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";
import type { Run } from "../../sdk/ts/index.ts";
import { client } from "../data/client.ts";
import { Loaded } from "../ui/states.tsx";
import { Status } from "../ui/status.tsx";
import { Table } from "../ui/table.tsx";
import { Clock } from "../ui/time.tsx";

/** Every change of the run's status: who made it, and why. */
export function Attempts({ run }: { run: Run }): ReactElement {
  const query = useQuery({
    queryKey: ["timeline", run.id, run.status, run.attempt],
    queryFn: () => client.runs.listTimeline(run.id),
    placeholderData: (earlier) => earlier,
  });
  return (
    <Loaded query={query}>
      {({ data }) => (
        <Table heads={["Time", "Attempt", "Became", "By", "Why"]}>
          {data.map(({ at, attempt, to, actor, actor_id, reason }) => (
            <tr key={`${at} ${attempt} ${to}`}>
              <td>
                <Clock at={at} isExact />
              </td>
              <td className="num">{attempt}</td>
              <td>
                <Status status={to} />
              </td>
              <td>
                {actor} {actor_id && <span className="num dim">{actor_id}</span>}
              </td>
              <td>{reason?.replaceAll("_", " ") ?? ""}</td>
            </tr>
          ))}
        </Table>
      )}
    </Loaded>
  );
}
