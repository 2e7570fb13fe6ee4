import { type FormEvent, type ReactElement, useId, useState } from "react";
import type { RunStatus } from "../../sdk/ts/index.ts";
import { type RangeName, ranges, type RunsSearch, statuses } from "../data/runs-search.ts";
import { AgentOptions } from "../ui/agent-options.tsx";
import { Button } from "../ui/button.tsx";
import { formatCount, formatTime } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";
import { Dot } from "../ui/status.tsx";
import styles from "./runs.module.css";
import { useRunCounts } from "./use-runs.ts";

type Props = { search: RunsSearch; onChange: (change: RunsSearch) => void };

/** Every filter counts at once. */
export const RunFilters = (props: Props): ReactElement => (
  <div className={styles.filters}>
    <StatusChips {...props} />
    <div className={styles.fields}>
      <AgentField {...props} />
      <RangeField {...props} />
      <SearchField {...props} />
    </div>
    <Tokens {...props} />
  </div>
);

/** The others have a button only where there are such runs. */
const usual = new Set<RunStatus>(["running", "queued", "success", "error"]);

function StatusChips({ search, onChange }: Props): ReactElement {
  const { data } = useRunCounts(search);
  const chosen = search.status ?? [];
  const toggle = (status: RunStatus): RunStatus[] =>
    chosen.includes(status) ? chosen.filter((one) => one !== status) : [...chosen, status];
  const counts = new Map(data?.data.map(({ status, count, more }) => [status, { count, more }]));
  const isWorthIt = (status: RunStatus): boolean =>
    usual.has(status) || chosen.includes(status) || (counts.get(status)?.count ?? 0) > 0;
  return (
    <div role="group" aria-label="Status" className={styles.chips}>
      <button type="button" aria-pressed={chosen.length === 0} onClick={() => onChange(without("status"))}>
        all
      </button>
      {statuses.filter(isWorthIt).map((status) => (
        <button
          key={status}
          type="button"
          aria-pressed={chosen.includes(status)}
          onClick={() => onChange(toggle(status).length === 0 ? without("status") : { status: toggle(status) })}
        >
          <Dot status={status} />
          {status}
          <Count of={counts.get(status)} />
        </button>
      ))}
    </div>
  );
}

const Count = ({ of }: { of: { count: number; more: boolean } | undefined }): ReactElement | null =>
  of === undefined || of.count === 0 ? null : (
    <span className="num">
      {formatCount(of.count)}
      {of.more ? "+" : ""}
    </span>
  );

function AgentField({ search, onChange }: Props): ReactElement {
  const list = useId();
  /** Null: nothing was typed since the filter was set. */
  const [typed, setTyped] = useState<string | null>(null);
  const leave = (text: string | null): void => {
    setTyped(null);
    const agent_id = text?.trim() || undefined;
    if (text !== null && agent_id !== search.agent_id) onChange({ agent_id });
  };
  return (
    <label>
      <span className="unseen">Filter by agent</span>
      <input
        aria-keyshortcuts="f"
        list={list}
        placeholder="any agent"
        value={typed ?? search.agent_id ?? ""}
        onChange={({ target, nativeEvent }) => (isChosen(nativeEvent) ? leave(target.value) : setTyped(target.value))}
        onBlur={() => leave(typed)}
        onKeyDown={(event) => event.key === "Enter" && event.currentTarget.blur()}
      />
      <AgentOptions id={list} />
    </label>
  );
}

/** True when a text field was filled from its list, and not typed into. */
const isChosen = (event: Event): boolean =>
  !(event instanceof InputEvent) || event.inputType === "insertReplacementText";

const names: Record<RangeName, string> = {
  "1h": "last hour",
  "24h": "last 24 hours",
  "7d": "last 7 days",
  "30d": "last 30 days",
};

function RangeField({ search, onChange }: Props): ReactElement {
  return (
    <label>
      <span className="unseen">Time</span>
      <select
        value={search.last ?? ""}
        onChange={(event) => {
          const last = event.target.value as RangeName | "";
          onChange({ ...without("since"), ...without("until"), ...(last === "" ? without("last") : { last }) });
        }}
      >
        <option value="">any time</option>
        {(Object.keys(ranges) as RangeName[]).map((name) => (
          <option key={name} value={name}>
            {names[name]}
          </option>
        ))}
      </select>
    </label>
  );
}

function SearchField({ search, onChange }: Props): ReactElement {
  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    const text = new FormData(event.currentTarget).get("search");
    onChange(typeof text === "string" && text !== "" ? { search: text } : without("search"));
  }
  return (
    <form role="search" onSubmit={submit} className={styles.search}>
      <Icon name="search" size={13} />
      <input
        key={search.search ?? ""}
        name="search"
        type="search"
        aria-label="Search in ids, inputs, results and errors"
        placeholder="Search runs"
        defaultValue={search.search}
        aria-keyshortcuts="/"
      />
    </form>
  );
}

/** Filters that have no field of their own, each with a button that removes it. */
function Tokens({ search, onChange }: Props): ReactElement | null {
  const {
    status: _status,
    last: _last,
    search: _search,
    agent_id: _agent,
    order_by: _by,
    order: _order,
    ...others
  } = search;
  const tokens = Object.entries(others) as [keyof typeof others, string][];
  if (tokens.length === 0) return null;
  return (
    <ul className={styles.tokens} aria-label="More filters">
      {tokens.map(([name, value]) => (
        <li key={name}>
          <span className="dim">{name}</span>
          <span className="num">{name === "since" || name === "until" ? formatTime(value) : value}</span>
          <Button look="quiet" aria-label={`Remove the filter ${name}`} onClick={() => onChange(without(name))}>
            <Icon name="close" size={12} />
          </Button>
        </li>
      ))}
    </ul>
  );
}

/** Returns the change that removes a filter. */
const without = (name: keyof RunsSearch): RunsSearch => ({ [name]: undefined });
