import { useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";
import type { Run } from "../../sdk/ts/index.ts";
import { client } from "../data/client.ts";
import { Download } from "../ui/download.tsx";
import { formatBytes } from "../ui/format.ts";
import { Empty, Loaded } from "../ui/states.tsx";
import { Table } from "../ui/table.tsx";
import { Clock } from "../ui/time.tsx";
import styles from "./run.module.css";

/** The files that the run has handed out. */
export function Artifacts({ run, count }: { run: Run; count: number }): ReactElement {
  const query = useQuery({
    queryKey: ["artifacts", run.id, count],
    queryFn: () => client.runs.listArtifacts(run.id),
    placeholderData: (earlier) => earlier,
  });
  return (
    <Loaded query={query}>
      {({ data }) =>
        data.length === 0 ? (
          <Empty title="No artifacts">
            <p>Files that the agent hands out can be downloaded here.</p>
          </Empty>
        ) : (
          <Table heads={["Name", "Type", "Size", "Attempt", "Made"]}>
            {data.map((artifact) => (
              <tr key={artifact.id}>
                <td>
                  <Download path={artifact.url} file={artifact.name} className={styles.file ?? ""} />
                </td>
                <td className="num">{artifact.mime}</td>
                <td className="num">{formatBytes(artifact.size)}</td>
                <td className="num">{artifact.attempt}</td>
                <td>
                  <Clock at={artifact.created_at} />
                </td>
              </tr>
            ))}
          </Table>
        )
      }
    </Loaded>
  );
}
