import { useMutation, useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";
import type { Artifact, Run } from "../../sdk/ts/index.ts";
import { client } from "../data/client.ts";
import { isShared } from "../data/shared-link.ts";
import { formatBytes } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";
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
                <td>{isShared ? <Download run={run} artifact={artifact} /> : <FileLink artifact={artifact} />}</td>
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

const FileLink = ({ artifact }: { artifact: Artifact }): ReactElement => (
  <a href={artifact.url} download={artifact.name} className={styles.file}>
    <Icon name="download" size={13} />
    {artifact.name}
  </a>
);

/** A link can't send the token of a shared run, and no address may have it. */
function Download({ run, artifact }: { run: Run; artifact: Artifact }): ReactElement {
  const load = useMutation({
    mutationFn: async () => {
      const answer = await client.attach(run.id).download(artifact);
      const url = URL.createObjectURL(await answer.blob());
      const link = document.createElement("a");
      link.href = url;
      link.download = artifact.name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(url), 60_000);
    },
  });
  return (
    <>
      <button type="button" className={styles.file} onClick={() => load.mutate()} disabled={load.isPending}>
        <Icon name="download" size={13} />
        {artifact.name}
      </button>
      {load.error && (
        <span role="alert" className="bad">
          {" "}
          {load.error.message}
        </span>
      )}
    </>
  );
}
