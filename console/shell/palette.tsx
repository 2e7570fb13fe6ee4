import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, type ReactElement, useEffect, useRef, useState } from "react";
import type { CurrentSession } from "../../sdk/ts/index.ts";
import { allows } from "../data/session.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";
import { Key } from "../ui/key.tsx";
import { areas } from "./area-list.ts";
import { pageActions } from "./page-actions.ts";
import styles from "./palette.module.css";
import { type Found, useFound } from "./use-found.ts";

type Props = { session: CurrentSession; onClose: () => void; acts: readonly Entry[] };

/** A thing to choose. `hint` stands beside its name. */
export type Entry = {
  id: string;
  name: string;
  icon: IconName;
  hint?: string;
  key?: string | undefined;
  act: () => void;
};
type Group = { name: string; entries: Entry[] };

/** Goes anywhere and does what the page does, by a few letters of its name, or by the beginning of an id. */
export function Palette({ session, onClose, acts }: Props): ReactElement {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const { found, error } = useFound(text.trim(), session);
  const groups = useGroups(text.trim(), session, acts, found);
  const entries = groups.flatMap((group) => group.entries);
  const chosen = entries[Math.min(at, entries.length - 1)];
  const list = useRef<HTMLDivElement>(null);
  useEffect(
    () => list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" }),
    [chosen?.id],
  );
  const choose = (entry: Entry | undefined): void => {
    if (!entry) return;
    onClose();
    // The dialog gives the focus back first.
    setTimeout(entry.act);
  };
  const press = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter" && !event.nativeEvent.isComposing) choose(chosen);
    if (step === undefined || entries.length === 0) return;
    event.preventDefault();
    setAt((Math.min(at, entries.length - 1) + step + entries.length) % entries.length);
  };
  return (
    <Dialog title="Find and do" look="bare" onClose={onClose}>
      <input
        role="combobox"
        aria-label="Find a page, an action or an id"
        aria-expanded
        aria-controls="palette-list"
        aria-activedescendant={chosen && `palette-${chosen.id}`}
        aria-autocomplete="list"
        autoComplete="off"
        spellCheck={false}
        placeholder="Go to, do, or find by id"
        className={styles.field}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setAt(0);
        }}
        onKeyDown={press}
      />
      <div ref={list} id="palette-list" role="listbox" aria-label="What is found" className={styles.list}>
        {groups.map((group) => (
          <GroupOf key={group.name} group={group} chosen={chosen} onChoose={choose} />
        ))}
      </div>
      {error !== null && (
        <p role="alert" className={styles.nothing}>
          <span className="bad">The search failed: {error}</span>
        </p>
      )}
      {error === null && entries.length === 0 && (
        <p role="status" className={styles.nothing}>
          Nothing is called so.
        </p>
      )}
      <p className={styles.foot}>
        <Key>↑</Key>
        <Key>↓</Key> choose <Key>Enter</Key> go <Key>Esc</Key> leave <span>Single keys:</span> <Key>?</Key>
      </p>
    </Dialog>
  );
}

type GroupProps = { group: Group; chosen: Entry | undefined; onChoose: (entry: Entry) => void };

const GroupOf = ({ group, chosen, onChoose }: GroupProps): ReactElement => (
  <div role="group" aria-label={group.name}>
    <h3 aria-hidden>{group.name}</h3>
    {group.entries.map((entry) => (
      // The field has the focus, and its keys choose.
      // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
      <div
        key={entry.id}
        id={`palette-${entry.id}`}
        role="option"
        tabIndex={-1}
        aria-selected={entry.id === chosen?.id}
        className={styles.option}
        onClick={() => onChoose(entry)}
      >
        <Icon name={entry.icon} size={14} />
        <span className="clip">{entry.name}</span>
        {entry.hint !== undefined && <span className="dim clip">{entry.hint}</span>}
        {entry.key?.split(" ").map((key) => (
          <Key key={key}>{key}</Key>
        ))}
      </div>
    ))}
  </div>
);

function useGroups(text: string, session: CurrentSession, acts: readonly Entry[], found: Found[]): Group[] {
  const navigate = useNavigate();
  // What the page can do when the palette opens: later the dialog lies above it.
  const [actions] = useState(() =>
    pageActions().map(({ name, key, act }, place): Entry => ({
      id: `act-${place}`,
      name,
      icon: "right",
      key: key ?? undefined,
      act,
    })),
  );
  const goTo = areas
    .filter(({ scope }) => allows(session, scope))
    .map(({ name, to, icon, key }): Entry => {
      return { id: `go-${key}`, name, icon, key: `g ${key}`, act: () => void navigate({ to }) };
    });
  const isMeant = ({ name }: Entry): boolean =>
    text
      .toLowerCase()
      .split(/\s+/)
      .every((word) => name.toLowerCase().includes(word));
  const byId = (one: Found): Entry => ({
    ...one,
    id: `found-${one.icon}-${one.name}`,
    act: () => void navigate(one.at),
  });
  return [
    { name: "This page", entries: actions.filter(isMeant) },
    { name: "Go to", entries: goTo.filter(isMeant) },
    { name: "Found", entries: found.map(byId) },
    { name: "Console", entries: acts.filter(isMeant) },
  ].filter(({ entries }) => entries.length > 0);
}
