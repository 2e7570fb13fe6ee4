import { Link } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { client } from "../data/client.ts";
import { usePages } from "../data/use-pages.ts";
import { formatCount, formatMs } from "../ui/format.ts";
import { Listed } from "../ui/listed.tsx";
import { Page } from "../ui/page.tsx";
import { Empty } from "../ui/states.tsx";
import { Dot } from "../ui/status.tsx";
import { Num, Table } from "../ui/table.tsx";
import styles from "./daemons.module.css";

/** Agents whose process stays. */
export function DaemonsPage(): ReactElement {
  const query = usePages(["daemons"], () => client.daemons.list({ limit: 100 }), { refetchMs: 5_000 });
  return (
    <Page title="Daemons">
      <Listed
        query={query}
        empty={
          <Empty title="No daemons yet">
            <p>An agent with an on_message can stay as a process that takes messages. Start it on its page.</p>
          </Empty>
        }
      >
        {(daemons) => (
          <Table
            heads={["Agent", "Version", "Status", "Wanted", "Health", "Up#", "Restarts#", "Waiting#"]}
            caption="Daemons"
          >
            {daemons.map((daemon) => (
              <tr key={daemon.agent_id}>
                <td>
                  <Link to="/agents/$id/daemon" params={{ id: daemon.agent_id }} className={styles.name}>
                    {daemon.agent_id}
                  </Link>
                </td>
                <td className="num">{daemon.version}</td>
                <td>
                  <span className={styles.state}>
                    <Dot status={daemon.status} />
                    {daemon.status}
                  </span>
                </td>
                <td className="dim">{daemon.desired}</td>
                <td>{daemon.health.state}</td>
                <Num>{formatMs(daemon.uptime_ms)}</Num>
                <Num>{formatCount(daemon.restarts)}</Num>
                <Num>{formatCount(daemon.mailbox_depth)}</Num>
              </tr>
            ))}
          </Table>
        )}
      </Listed>
    </Page>
  );
}
