import { type ReactElement, useState } from "react";
import { type RunsQuery, type RunsSearch, toRunsQuery } from "../data/runs-search.ts";
import { BulkDialog, type BulkAction } from "../run-view/bulk-dialog.tsx";
import { Button } from "../ui/button.tsx";
import { formatCount } from "../ui/format.ts";
import styles from "./runs.module.css";

type Props = { selected: ReadonlySet<string>; search: RunsSearch; onClear: () => void };

type Asked = { action: BulkAction; which: { run_ids: string[] } | { filter: RunsQuery } };

/** What can be done with the runs that are chosen. */
export function BulkBar({ selected, search, onClear }: Props): ReactElement {
  const [asked, setAsked] = useState<Asked | null>(null);
  const [isAll, setAll] = useState(false);
  // The filter of a range counts from now: it is made once.
  const ask = (action: BulkAction): void =>
    setAsked({ action, which: isAll ? { filter: toRunsQuery(search) } : { run_ids: [...selected] } });
  return (
    <div role="region" aria-label="Chosen runs" className={styles.bulk}>
      <span className="num">{formatCount(selected.size)}</span> chosen
      <label>
        <input type="checkbox" checked={isAll} onChange={({ target }) => setAll(target.checked)} />
        all that match the filters
      </label>
      <Button look="danger" aria-keyshortcuts="c" onClick={() => ask("cancel")}>
        Cancel…
      </Button>
      <Button aria-keyshortcuts="r" onClick={() => ask("replay")}>
        Run again…
      </Button>
      <Button look="quiet" onClick={onClear}>
        Choose none
      </Button>
      {asked && (
        <BulkDialog
          {...asked}
          onClose={(isDone) => {
            setAsked(null);
            if (isDone) onClear();
          }}
        />
      )}
    </div>
  );
}
