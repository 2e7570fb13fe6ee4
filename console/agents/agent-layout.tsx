import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, Outlet, useParams } from "@tanstack/react-router";
import type { ReactElement } from "react";
import type { Agent } from "../../sdk/ts/index.ts";
import { client, renew } from "../data/client.ts";
import { allows, useSession } from "../data/session.ts";
import { Button } from "../ui/button.tsx";
import { Page } from "../ui/page.tsx";
import { Loaded } from "../ui/states.tsx";
import { Dot } from "../ui/status.tsx";
import styles from "./agents.module.css";

const views = [
  { name: "Overview", to: "/agents/$id" },
  { name: "Playground", to: "/agents/$id/play" },
  { name: "Daemon", to: "/agents/$id/daemon" },
  { name: "Versions", to: "/agents/$id/versions" },
  { name: "Settings", to: "/agents/$id/settings" },
] as const;

/** What all pages of an agent have: its name, its version, and the way between them. */
export function AgentLayout(): ReactElement {
  const { id } = useParams({ from: "/agents/$id" });
  const query = useQuery({ queryKey: ["agent", id], queryFn: () => client.agents.get(id) });
  return (
    <Loaded query={query}>
      {(agent) => (
        <Page title={agent.name} beside={<Facts agent={agent} />} actions={<Pause agent={agent} />}>
          <Outlet />
        </Page>
      )}
    </Loaded>
  );
}

const Facts = ({ agent }: { agent: Agent }): ReactElement => (
  <>
    <span className="num dim">{agent.current_version}</span>
    <span className={styles.state}>
      <Dot status={agent.status} />
      {agent.status}
    </span>
    <nav aria-label="Views of the agent" className={styles.views}>
      {views.map(({ name, to }) => (
        <Link
          key={to}
          to={to}
          params={{ id: agent.id }}
          activeOptions={{ exact: to === "/agents/$id" }}
          activeProps={{ "aria-current": "page" }}
        >
          {name}
        </Link>
      ))}
    </nav>
  </>
);

/** The kill switch: a paused agent's runs wait. */
function Pause({ agent }: { agent: Agent }): ReactElement | null {
  const session = useSession();
  const isPaused = agent.status === "paused";
  const change = useMutation({
    mutationFn: async () =>
      void (isPaused ? await client.agents.resume(agent.id) : await client.agents.pause(agent.id, {})),
    onSettled: () => renew(["agent", agent.id]),
  });
  if (!session.data || !allows(session.data, "agents:write") || agent.status === "archived") return null;
  return (
    <>
      {change.error && (
        <span role="alert" className="bad">
          {change.error.message}
        </span>
      )}
      <Button onClick={() => change.mutate()} disabled={change.isPending}>
        {isPaused ? "Resume" : "Pause"}
      </Button>
    </>
  );
}
