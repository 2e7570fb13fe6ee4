import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { ReactElement } from "react";
import type { ErrorGroup } from "../../sdk/ts/index.ts";
import { client } from "../data/client.ts";
import { ranges } from "../data/runs-search.ts";
import { Button } from "../ui/button.tsx";
import { formatCount, formatShare } from "../ui/format.ts";
import { Page } from "../ui/page.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { Num, Table } from "../ui/table.tsx";
import { Ago } from "../ui/time.tsx";
import styles from "./errors.module.css";
import { rangeNames, rangeOf, states, stateOf } from "./errors-search.ts";
import { Trend } from "./trend.tsx";

/** What went wrong, once for all runs that failed alike. */
export function ErrorsPage(): ReactElement {
  const search = useSearch({ from: "/errors" });
  const navigate = useNavigate();
  const [range, state] = [rangeOf(search.last), stateOf(search.state)];
  const query = useQuery({
    queryKey: ["errors", range, state, search.agent],
    queryFn: () =>
      client.studio.listErrorGroups({
        since: new Date(Date.now() - ranges[range]).toISOString(),
        agent_id: search.agent,
        limit: mostGroups,
        ...(state !== "all" && { state }),
      }),
    refetchInterval: 30_000,
  });
  return (
    <Page
      title="Errors"
      beside={
        <nav aria-label="Time" className={styles.ranges}>
          {rangeNames.map(([name, text]) => (
            <Link
              key={name}
              to="/errors"
              search={{ ...search, last: name }}
              data-chosen={name === range || undefined}
              replace
            >
              {text}
            </Link>
          ))}
        </nav>
      }
      actions={
        <>
          {search.agent !== undefined && (
            <Button onClick={() => void navigate({ to: "/errors", search: { ...search, agent: undefined } })}>
              Of {search.agent} only: show all
            </Button>
          )}
          <label>
            <span className="unseen">State</span>
            <select
              value={state}
              onChange={({ target }) =>
                void navigate({ to: "/errors", search: { ...search, state: target.value }, replace: true })
              }
            >
              {states.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
        </>
      }
    >
      <Loaded query={query}>
        {({ data, failures, more, since, until }) =>
          data.length === 0 ? (
            <NoErrors failures={failures} more={more} state={state} />
          ) : (
            <>
              <p className={styles.about}>
                <span className="num">{formatCount(failures)}</span> failed {failures === 1 ? "run" : "runs"}
                {more ? ", the newest ones" : ""}, <span className="num">{data.length}</span>{" "}
                {data.length === 1 ? "kind" : "kinds"} of error
                {state === "all" ? "" : ` that ${data.length === 1 ? "is" : "are"} ${state}`}
                {data.length === mostGroups && ": those with most runs. An agent or a shorter time shows others"}.
              </p>
              <Table heads={["Error", "Agent", "Trend", "Runs#", "Share#", "First#", "Last#"]} caption="Errors">
                {data.map((group) => (
                  <Group key={group.fingerprint} group={group} since={since} until={until} last={range} />
                ))}
              </Table>
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

/** As many as the service tells at once. */
const mostGroups = 200;

type NoErrorsProps = { failures: number; more: boolean; state: string };

function NoErrors({ failures, more, state }: NoErrorsProps): ReactElement {
  if (failures === 0)
    return (
      <Empty title="No run has failed">
        <p>Runs that fail alike appear here as one error, with its trend and its versions.</p>
      </Empty>
    );
  return (
    <Empty title={`No error is ${state}`}>
      <p>
        {more ? `The newest ${formatCount(failures)} failed runs` : "All failed runs"} of this time have errors in
        another state.
      </p>
      <Link to="/errors" search={{ state: "all" }}>
        Show all
      </Link>
    </Empty>
  );
}

type GroupProps = { group: ErrorGroup; since: string; until: string; last: string };

const Group = ({ group, since, until, last }: GroupProps): ReactElement => (
  <tr>
    <td className={styles.error}>
      <Link to="/errors/$fingerprint" params={{ fingerprint: group.fingerprint }} search={{ last }}>
        {group.message}
      </Link>
      <p className="dim clip">
        <span className="num">{group.type ?? group.code}</span>
        {group.frame && <span className="num"> · {group.frame}</span>}
        {group.state !== "open" && ` · ${group.state}`}
        {group.regressed && <span className="bad"> · came back</span>}
      </p>
    </td>
    <td>
      <Link to="/agents/$id" params={{ id: group.agent_id }}>
        {group.agent_id}
      </Link>
      <p className="num dim">
        {group.versions
          .map(({ version }) => version)
          .slice(0, 2)
          .join(", ")}
      </p>
    </td>
    <td>
      <Trend group={group} since={since} until={until} />
    </td>
    <Num>{formatCount(group.count)}</Num>
    <Num>{formatShare(group.share)}</Num>
    <Num>
      <Ago at={group.first_at} />
    </Num>
    <Num>
      <Ago at={group.last_at} />
    </Num>
  </tr>
);
