import { lazyRouteComponent, Link, useNavigate, useSearch } from "@tanstack/react-router";
import { type ReactElement, Suspense, useState } from "react";
import { useLostConnection, useOnline } from "../data/connection.ts";
import { partOf } from "../data/parts.ts";
import { readRunsSearch, type RunsSearch } from "../data/runs-search.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { NoneSoFar } from "../ui/listed.tsx";
import { Empty, Failure, Loading } from "../ui/states.tsx";
import { BulkBar } from "./bulk-bar.tsx";
import type { ListedRun } from "./merge-changes.ts";
import { RunFilters } from "./run-filters.tsx";
import { RunTable } from "./run-table.tsx";
import styles from "./runs.module.css";
import { useRuns } from "./use-runs.ts";

const Peek = lazyRouteComponent(
  partOf(() => import("./peek.tsx")),
  "Peek",
);

/** All runs, newest first or as a column sorts them. Filters and order are in the address. */
export function RunsPage(): ReactElement {
  const { peek, ...given } = useSearch({ from: "/runs" });
  // The router keeps what it doesn't know.
  const search = readRunsSearch(given);
  const navigate = useNavigate();
  const [isLive, setLive] = useState(true);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const { query, runs } = useRuns(search, isLive);
  const filter = (change: RunsSearch): void => {
    setSelected(new Set());
    void navigate({ to: "/runs", search: { ...search, ...change }, replace: true });
  };
  const showPeek = (id: string | undefined): void =>
    void navigate({ to: "/runs", search: { ...search, peek: id }, replace: true });
  return (
    <>
      <header className={styles.head}>
        <h1>Runs</h1>
        <Live isLive={isLive} onChange={setLive} />
        <Link to="/agents" className={`${buttonClass("primary")} ${styles.start}`}>
          <Icon name="play" size={13} />
          Run an agent
        </Link>
      </header>
      <RunFilters search={search} onChange={filter} />
      {query.error && runs && <Outdated error={query.error} onRetry={() => void query.refetch()} />}
      <div className={styles.beside}>
        <Rows
          runs={runs}
          error={query.error}
          onRetry={() => void query.refetch()}
          empty={
            query.hasNextPage ? (
              <NoneSoFar
                title={`No match among the ${search.order_by === undefined ? "newest" : "first"} runs`}
                isLooking={query.isFetching}
                onFurther={() => void query.fetchNextPage()}
              />
            ) : (
              <NoRuns
                search={search}
                onUnsort={() => filter({ order_by: undefined, order: undefined })}
                onClear={() => void navigate({ to: "/runs", search: {}, replace: true })}
              />
            )
          }
          table={(rows) => (
            <RunTable
              runs={rows}
              sort={search}
              onSort={filter}
              selected={selected}
              onSelect={setSelected}
              onEnd={() => {
                if (query.hasNextPage && !query.isFetching) void query.fetchNextPage();
              }}
              hasMore={query.hasNextPage}
              peek={peek}
              onPeek={showPeek}
            />
          )}
        />
        {peek !== undefined && (
          <Suspense>
            <Peek key={peek} id={peek} onClose={() => showPeek(undefined)} />
          </Suspense>
        )}
      </div>
      {selected.size > 0 && <BulkBar selected={selected} search={search} onClear={() => setSelected(new Set())} />}
    </>
  );
}

function Live({ isLive, onChange }: { isLive: boolean; onChange: (isLive: boolean) => void }): ReactElement {
  const isLost = useLostConnection() !== null;
  const isOnline = useOnline();
  const lost = isOnline ? "reconnecting" : "offline";
  const state = isLost || !isOnline ? lost : "live";
  return (
    <button
      type="button"
      className={styles.live}
      aria-pressed={isLive}
      aria-keyshortcuts="l"
      onClick={() => onChange(!isLive)}
    >
      <i aria-hidden className={isLive && state === "live" ? "pulse" : ""} />
      {isLive ? state : "stands still"}
    </button>
  );
}

type RowsProps = {
  runs: ListedRun[] | undefined;
  error: Error | null;
  onRetry: () => void;
  empty: ReactElement;
  table: (runs: ListedRun[]) => ReactElement;
};

function Rows({ runs, error, onRetry, empty, table }: RowsProps): ReactElement {
  if (runs) return runs.length === 0 ? empty : table(runs);
  return error ? <Failure error={error} onRetry={onRetry} /> : <Loading what="Loading runs" />;
}

const Outdated = ({ error, onRetry }: { error: Error; onRetry: () => void }): ReactElement => (
  <p role="status" className={styles.outdated}>
    The list is not up to date: {error.message}
    <Button onClick={onRetry}>Try again</Button>
  </p>
);

type NoRunsProps = { search: RunsSearch; onUnsort: () => void; onClear: () => void };

function NoRuns({ search, onUnsort, onClear }: NoRunsProps): ReactElement {
  const { order_by, order: _order, ...filters } = search;
  const names = Object.keys(filters);
  if (order_by !== undefined)
    return (
      <Empty title={order_by === "duration_ms" ? "No run here has taken time yet" : "No run here has a cost"}>
        {names.length > 0 && <p>Filtered by {names.join(", ")}.</p>}
        <Button onClick={onUnsort}>Show the newest runs</Button>
      </Empty>
    );
  if (names.length > 0)
    return (
      <Empty title="No run matches">
        <p>Filtered by {names.join(", ")}.</p>
        <Button onClick={onClear}>Clear all filters</Button>
      </Empty>
    );
  return (
    <Empty title="No runs yet">
      <p>Each run of an agent appears here as soon as it is accepted.</p>
      <Link to="/welcome" className={buttonClass("primary")}>
        Start the first one
      </Link>
    </Empty>
  );
}
