import { useMutation } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { type ReactElement, useState } from "react";
import type { AgentVersionListItem } from "../../sdk/ts/index.ts";
import { client, renew } from "../data/client.ts";
import { allows, useSession } from "../data/session.ts";
import { usePages } from "../data/use-pages.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { formatCount, formatMs, formatShare } from "../ui/format.ts";
import { Listed } from "../ui/listed.tsx";
import { Dot } from "../ui/status.tsx";
import { Num, Table } from "../ui/table.tsx";
import { Ago } from "../ui/time.tsx";
import { PromoteDialog } from "./promote-dialog.tsx";
import styles from "./versions.module.css";
import { useVersionFigures } from "./use-version-figures.ts";

const heads = ["Compare", "Version", "Tags", "Status", "Runs, 30 days#", "Success#", "p95#", "Published#", ""];

/** An agent's versions, newest first. Two of them can be compared, and one made the current one. */
export function VersionsPage(): ReactElement {
  const { id } = useParams({ from: "/agents/$id" });
  const navigate = useNavigate();
  const [chosen, setChosen] = useState<string[]>([]);
  const query = usePages(["versions", id], () => client.versions.list(id, { limit: 50 }));
  const toggle = (version: string): void =>
    setChosen(chosen.includes(version) ? chosen.filter((one) => one !== version) : [...chosen, version].slice(-2));
  return (
    <>
      <div className={styles.bar}>
        <span className="dim">Choose two versions to see what changed between them.</span>
        <Button
          disabled={chosen.length !== 2}
          onClick={() => {
            const [newer = "", older = ""] =
              query.data?.pages
                .flatMap(({ data }) => data.map(({ version }) => version))
                .filter((one) => chosen.includes(one)) ?? [];
            void navigate({
              to: "/agents/$id/versions/$version/diff",
              params: { id, version: newer },
              search: { against: older },
            });
          }}
        >
          Compare
        </Button>
      </div>
      <Listed query={query} empty={null}>
        {(versions) => (
          <Table heads={heads} caption="Versions">
            {versions.map((version) => (
              <VersionRow
                key={version.version}
                version={version}
                isChosen={chosen.includes(version.version)}
                onToggle={() => toggle(version.version)}
              />
            ))}
          </Table>
        )}
      </Listed>
    </>
  );
}

type RowProps = { version: AgentVersionListItem; isChosen: boolean; onToggle: () => void };

function VersionRow({ version: listed, isChosen, onToggle }: RowProps): ReactElement {
  const { agent_id: id, version, current, tags, status, state, created_at } = listed;
  const { data } = useVersionFigures(id, version);
  return (
    <tr>
      <td>
        <input
          type="checkbox"
          className={styles.check}
          aria-label={`Compare ${version}`}
          checked={isChosen}
          onChange={onToggle}
        />
      </td>
      <td>
        <Link to="/agents/$id/versions/$version" params={{ id, version }} className="num">
          {version}
        </Link>
        {current && <b className={styles.current}>current</b>}
      </td>
      <td className="num">{tags.join(", ")}</td>
      <td>
        <span className={styles.state}>
          <Dot status={state === "ready" ? status : state} />
          {state === "ready" ? status : `build ${state}`}
        </span>
      </td>
      <Num>{formatCount(data?.totals.runs)}</Num>
      <Num>{formatShare(data?.totals.success_rate)}</Num>
      <Num>{formatMs(data?.totals.latency_ms.p95)}</Num>
      <Num>
        <Ago at={created_at} />
      </Num>
      <td className={styles.actions}>
        <Actions listed={listed} />
      </td>
    </tr>
  );
}

function Actions({ listed }: { listed: AgentVersionListItem }): ReactElement | null {
  const { agent_id: id, version, current, status } = listed;
  const session = useSession();
  const [isPromoting, setPromoting] = useState(false);
  const change = useMutation({
    mutationFn: (to: "active" | "archived") => client.versions.update(id, version, { status: to }),
    onSettled: () => renew(["versions", id]),
  });
  if (!session.data || !allows(session.data, "agents:write")) return null;
  return (
    <>
      {change.error && (
        <span role="alert" className="bad">
          {change.error.message}
        </span>
      )}
      <Link to="/agents/$id/play" params={{ id }} search={{ version }} className={buttonClass("quiet")}>
        Try
      </Link>
      {!current && status !== "archived" && <Button onClick={() => setPromoting(true)}>Promote…</Button>}
      {!current && (
        <Button
          look="quiet"
          disabled={change.isPending}
          onClick={() => change.mutate(status === "archived" ? "active" : "archived")}
        >
          {status === "archived" ? "Take back" : "Archive"}
        </Button>
      )}
      {isPromoting && <PromoteDialog agentId={id} version={version} onClose={() => setPromoting(false)} />}
    </>
  );
}
