import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { FormEvent, ReactElement } from "react";
import type { StudioAgent } from "../../sdk/ts/index.ts";
import { client } from "../data/client.ts";
import { usePages } from "../data/use-pages.ts";
import { buttonClass } from "../ui/button.tsx";
import { formatCost, formatCount, formatMs, formatShare } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";
import { Listed } from "../ui/listed.tsx";
import { Page } from "../ui/page.tsx";
import { Empty } from "../ui/states.tsx";
import { Dot } from "../ui/status.tsx";
import { Num, Table } from "../ui/table.tsx";
import { Ago } from "../ui/time.tsx";
import styles from "./agents.module.css";

const heads = [
  "Agent",
  "Version",
  "Status",
  "Runs, 30 days#",
  "Outcome",
  "Success#",
  "p50#",
  "p95#",
  "Cost#",
  "Last run#",
];

/** All agents, and how they do. */
export function AgentsPage(): ReactElement {
  const { search } = useSearch({ from: "/agents" });
  const query = usePages(["agents", search], () => client.studio.listAgents({ search, limit: 100 }));
  return (
    <Page
      title="Agents"
      actions={
        <>
          <Find search={search} />
          <Link to="/welcome" className={buttonClass("primary")}>
            <Icon name="plus" size={13} />
            New agent
          </Link>
        </>
      }
    >
      <Listed query={query} what="Loading agents" empty={<NoAgents search={search} />}>
        {(agents) => (
          <Table heads={heads} caption="Agents">
            {agents.map((agent) => (
              <AgentRow key={agent.agent_id} agent={agent} />
            ))}
          </Table>
        )}
      </Listed>
    </Page>
  );
}

function Find({ search }: { search: string | undefined }): ReactElement {
  const navigate = useNavigate();
  function find(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    const text = new FormData(event.currentTarget).get("search");
    void navigate({ to: "/agents", search: typeof text === "string" && text !== "" ? { search: text } : {} });
  }
  return (
    <form role="search" onSubmit={find}>
      <input
        key={search ?? ""}
        name="search"
        type="search"
        aria-label="Search agents"
        placeholder="Search names and ids"
        defaultValue={search}
        aria-keyshortcuts="/"
      />
    </form>
  );
}

const AgentRow = ({ agent }: { agent: StudioAgent }): ReactElement => (
  <tr>
    <td>
      <Link to="/agents/$id" params={{ id: agent.agent_id }} className={styles.name}>
        {agent.name}
      </Link>
      {agent.name !== agent.agent_id && <span className="num dim"> {agent.agent_id}</span>}
    </td>
    <td className="num">{agent.current_version}</td>
    <td>
      <span className={styles.state}>
        <Dot status={agent.status} />
        {agent.status}
      </span>
    </td>
    <Num>{formatCount(agent.runs)}</Num>
    <td>
      <Outcome agent={agent} />
    </td>
    <Num>{formatShare(agent.success_rate)}</Num>
    <Num>{formatMs(agent.latency_ms.p50)}</Num>
    <Num>{formatMs(agent.latency_ms.p95)}</Num>
    <Num>{formatCost(agent.cost_usd)}</Num>
    <Num>
      <Ago at={agent.last_run_at} />
    </Num>
  </tr>
);

/** How the runs ended, as parts of one bar. Each part leads to its runs. */
function Outcome({ agent }: { agent: StudioAgent }): ReactElement {
  const parts = (["success", "error", "timeout", "cancelled"] as const).filter((status) => agent[status] > 0);
  const title = parts.map((status) => `${agent[status]} ${status}`).join(", ") || "no run has ended";
  return (
    <span className={styles.outcome} role="img" aria-label={title} title={title}>
      {parts.map((status) => (
        <i key={status} data-status={status} style={{ flexGrow: agent[status] }} />
      ))}
    </span>
  );
}

const NoAgents = ({ search }: { search: string | undefined }): ReactElement =>
  search === undefined ? (
    <Empty title="No agents yet">
      <p>An agent is code with a main that Runfleet calls once per run.</p>
      <Link to="/welcome" className={buttonClass("primary")}>
        Make the first one
      </Link>
    </Empty>
  ) : (
    <Empty title="No agent matches">
      <p>No name and no id has “{search}” in it.</p>
      <Link to="/agents" className={buttonClass()}>
        Show all agents
      </Link>
    </Empty>
  );
