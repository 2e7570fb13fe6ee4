import { Link } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { client } from "../data/client.ts";
import { usePages } from "../data/use-pages.ts";
import { shortId } from "../ui/format.ts";
import { Listed } from "../ui/listed.tsx";
import { Page } from "../ui/page.tsx";
import { Empty } from "../ui/states.tsx";
import { Dot } from "../ui/status.tsx";
import { Num, Table } from "../ui/table.tsx";
import { Ago } from "../ui/time.tsx";
import styles from "./threads.module.css";

/** Conversations, newest first. */
export function ThreadsPage(): ReactElement {
  const query = usePages(["threads"], () => client.threads.list({ limit: 100 }), { refetchMs: 10_000 });
  return (
    <Page title="Threads">
      <Listed
        query={query}
        empty={
          <Empty title="No threads yet">
            <p>A thread keeps what its runs said and the state they saved. A run that names a thread makes it.</p>
          </Empty>
        }
      >
        {(threads) => (
          <Table heads={["Thread", "Agent", "Status", "Tags", "Last change#", "Begun#"]} caption="Threads">
            {threads.map((thread) => (
              <tr key={thread.id}>
                <td>
                  <Link to="/threads/$id" params={{ id: thread.id }} className={styles.name}>
                    {thread.title ?? <span className="num">{shortId(thread.id)}</span>}
                  </Link>
                </td>
                <td>{thread.agent_id}</td>
                <td>
                  <span className={styles.state}>
                    <Dot status={dotOf[thread.status]} />
                    {thread.status}
                  </span>
                </td>
                <td className="dim">{thread.tags.join(", ")}</td>
                <Num>
                  <Ago at={thread.updated_at} />
                </Num>
                <Num>
                  <Ago at={thread.created_at} />
                </Num>
              </tr>
            ))}
          </Table>
        )}
      </Listed>
    </Page>
  );
}

const dotOf = { idle: "success", busy: "running", interrupted: "interrupted", error: "error" } as const;
