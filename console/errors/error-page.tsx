import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { type ReactElement, useState } from "react";
import type { ErrorGroupDetails } from "../../sdk/ts/index.ts";
import { client, queryClient, renew } from "../data/client.ts";
import { type RangeName, ranges } from "../data/runs-search.ts";
import { BulkDialog } from "../run-view/bulk-dialog.tsx";
import { Button } from "../ui/button.tsx";
import { Copy } from "../ui/copy.tsx";
import { Dialog, DialogButtons } from "../ui/dialog.tsx";
import { FigureRow } from "../ui/figures.tsx";
import { formatCount, formatShare } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";
import { Page, Section } from "../ui/page.tsx";
import { Loaded } from "../ui/states.tsx";
import { Num, Table } from "../ui/table.tsx";
import { Ago } from "../ui/time.tsx";
import styles from "./errors.module.css";
import { rangeOf } from "./errors-search.ts";
import { Trend } from "./trend.tsx";

/** One error: how often it came, where, in which versions and runs, and what was decided on it. */
export function ErrorPage(): ReactElement {
  const { fingerprint } = useParams({ from: "/errors/$fingerprint" });
  const range = rangeOf(useSearch({ from: "/errors/$fingerprint" }).last ?? "30d");
  const query = useQuery({
    queryKey: ["error", fingerprint, range],
    queryFn: () => client.studio.getErrorGroup(fingerprint, { since: sinceOf(range) }),
    refetchInterval: 30_000,
  });
  return (
    <Loaded query={query}>
      {(error) => (
        <Page
          title={<span className={styles.title}>{error.message}</span>}
          actions={<Actions error={error} range={range} />}
        >
          <FigureRow
            figures={[
              [
                "Agent",
                <Link key="agent" to="/agents/$id" params={{ id: error.agent_id }}>
                  {error.agent_id}
                </Link>,
              ],
              ["Error", error.type ?? error.code],
              ["Runs", formatCount(error.count)],
              ["Of all failures", formatShare(error.share)],
              ["First", <Ago key="first" at={error.first_at} />],
              ["Last", <Ago key="last" at={error.last_at} />],
              ["State", error.regressed ? "came back" : error.state],
            ]}
          />
          <Section title="Trend">
            <div className={styles.wide}>
              <Trend group={error} since={sinceOf(range)} until={new Date().toISOString()} />
            </div>
          </Section>
          <div className={styles.columns}>
            <Where error={error} />
            <div>
              <Versions error={error} />
              <LastRuns error={error} />
            </div>
          </div>
        </Page>
      )}
    </Loaded>
  );
}

const sinceOf = (range: RangeName): string => new Date(Date.now() - ranges[range]).toISOString();

type Props = { error: ErrorGroupDetails };

function Actions({ error, range }: Props & { range: RangeName }): ReactElement {
  const [isAsking, setAsking] = useState(false);
  const decide = useMutation({
    mutationFn: (state: "open" | "resolved" | "ignored") =>
      client.studio.updateErrorGroup(error.fingerprint, { state }, { since: sinceOf(range) }),
    onSuccess: (changed) => {
      queryClient.setQueryData(["error", error.fingerprint, range], changed);
      return renew(["errors"]);
    },
  });
  return (
    <>
      {decide.error && (
        <span role="alert" className="bad">
          {decide.error.message}
        </span>
      )}
      <Button onClick={() => setAsking(true)}>
        <Icon name="again" size={13} />
        Run again…
      </Button>
      {error.state === "open" ? (
        <>
          <Button disabled={decide.isPending} onClick={() => decide.mutate("ignored")}>
            Ignore
          </Button>
          <Button look="primary" disabled={decide.isPending} onClick={() => decide.mutate("resolved")}>
            Resolve
          </Button>
        </>
      ) : (
        <Button disabled={decide.isPending} onClick={() => decide.mutate("open")}>
          Open again
        </Button>
      )}
      {isAsking && <RunAgain error={error} onClose={() => setAsking(false)} />}
    </>
  );
}

/** Asks for the version first: the point is mostly whether another one does better. */
function RunAgain({ error, onClose }: Props & { onClose: () => void }): ReactElement {
  const [version, setVersion] = useState("current");
  const [isChosen, setChosen] = useState(false);
  if (isChosen)
    return (
      <BulkDialog
        action="replay"
        which={{ run_ids: error.run_ids }}
        version={version === "" ? undefined : version}
        onClose={onClose}
      />
    );
  return (
    <Dialog title="Run these again" onClose={onClose}>
      <form
        className={styles.again}
        onSubmit={(event) => {
          event.preventDefault();
          setChosen(true);
        }}
      >
        <label>
          On version
          <select value={version} onChange={({ target }) => setVersion(target.value)}>
            <option value="current">the current one of {error.agent_id}</option>
            <option value="">that of each run</option>
            {error.versions.map((one) => (
              <option key={one.version}>{one.version}</option>
            ))}
          </select>
        </label>
        {error.count > error.run_ids.length && (
          <p className="dim">The newest {formatCount(error.run_ids.length)} of them are run again.</p>
        )}
        <DialogButtons>
          <Button onClick={onClose}>Leave it</Button>
          <Button type="submit" look="primary">
            Go on
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}

const Where = ({ error }: Props): ReactElement => (
  <Section title="Where" actions={error.traceback && <Copy text={error.traceback} label="Copy the traceback" />}>
    {error.traceback ? (
      <pre className={styles.traceback} tabIndex={0} aria-label="Traceback of the newest run">
        {error.traceback}
      </pre>
    ) : (
      <p className={styles.about}>
        There is no traceback: the error <span className="num">{error.code}</span> is the service’s, or its agent gave
        none.
      </p>
    )}
  </Section>
);

const Versions = ({ error }: Props): ReactElement => (
  <Section title="Versions">
    <Table heads={["Version", "Runs#"]} caption="Versions">
      {error.versions.map(({ version, count }) => (
        <tr key={version}>
          <td>
            <Link
              to="/agents/$id/versions/$version"
              params={{ id: error.agent_id, version }}
              className={`num ${styles.link}`}
            >
              {version}
            </Link>
          </td>
          <Num>{formatCount(count)}</Num>
        </tr>
      ))}
    </Table>
  </Section>
);

const LastRuns = ({ error }: Props): ReactElement => (
  <Section title="Last runs">
    <ul className={styles.runs}>
      {error.run_ids.slice(0, 20).map((id) => (
        <li key={id}>
          <Link to="/runs/$id" params={{ id }} className={`num ${styles.link}`}>
            {id}
          </Link>
        </li>
      ))}
    </ul>
    {error.count > 20 && (
      <p className={styles.about}>
        and <span className="num">{formatCount(error.count - 20)}</span> more
      </p>
    )}
  </Section>
);
