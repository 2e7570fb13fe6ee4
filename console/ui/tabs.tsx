import type { KeyboardEvent, ReactElement, ReactNode } from "react";
import { formatCount } from "./format.ts";
import styles from "./tabs.module.css";

export type Tab = { id: string; name: string; count?: number | undefined };
type Props = { label: string; tabs: Tab[]; chosen: string; onChoose: (id: string) => void; children: ReactNode };

/** One part of the page at a time. Arrows go from tab to tab, as the pattern of WAI-ARIA says. */
export function Tabs({ label, tabs, chosen, onChoose, children }: Props): ReactElement {
  const at = tabs.findIndex(({ id }) => id === chosen);
  function move(event: KeyboardEvent<HTMLDivElement>): void {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const next = tabs[(Math.max(0, at) + step + tabs.length) % tabs.length];
    if (!next) return;
    onChoose(next.id);
    event.currentTarget.querySelector<HTMLElement>(`#tab-${next.id}`)?.focus();
  }
  return (
    <div className={styles.tabs}>
      <div role="tablist" aria-label={label} className={styles.list} onKeyDown={move} tabIndex={-1}>
        {tabs.map(({ id, name, count }, place) => (
          <button
            key={id}
            id={`tab-${id}`}
            type="button"
            role="tab"
            aria-selected={id === chosen}
            aria-controls="tab-panel"
            // An address may name no tab that is there.
            tabIndex={place === Math.max(0, at) ? 0 : -1}
            onClick={() => onChoose(id)}
          >
            {name}
            {count !== undefined && count > 0 && <span className="num dim">{formatCount(count)}</span>}
          </button>
        ))}
      </div>
      <div id="tab-panel" role="tabpanel" aria-labelledby={`tab-${chosen}`} tabIndex={0} className={styles.panel}>
        {children}
      </div>
    </div>
  );
}
