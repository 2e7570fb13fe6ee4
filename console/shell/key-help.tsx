import { type ReactElement, useState } from "react";
import { Dialog } from "../ui/dialog.tsx";
import { heldKey, Key } from "../ui/key.tsx";
import { areas } from "./area-list.ts";
import { areKeysOn, switchKeys } from "./key-switch.ts";
import { pageActions } from "./page-actions.ts";
import styles from "./palette.module.css";

const lists = [
  ["j k", "Next and earlier row"],
  ["x", "Choose the row"],
  ["Space", "Look at the run beside the list"],
  ["Enter", "Open the run"],
] as const;

const everywhere = [
  [`${heldKey} K`, "Find a page, an action, a run, an agent or a thread"],
  ["?", "These keys"],
] as const;

/** The keys of the console, and those of the page below. */
export function KeyHelp({ onClose }: { onClose: () => void }): ReactElement {
  const [actions] = useState(pageActions);
  const [isOn, setOn] = useState(areKeysOn);
  return (
    <Dialog title="Keys" onClose={onClose}>
      <div className={styles.help}>
        <Keys name="Everywhere" keys={everywhere} />
        <Keys name="This page" keys={actions.flatMap(({ key, name }) => (key === null ? [] : [[key, name]]))} />
        <Keys name="Go to" keys={areas.map(({ key, name }) => [`g ${key}`, name])} />
        <Keys name="In the list of runs" keys={lists} />
      </div>
      <label className={styles.switch}>
        <input
          type="checkbox"
          checked={isOn}
          onChange={({ target }) => {
            switchKeys(target.checked);
            setOn(target.checked);
          }}
        />
        Single keys act
      </label>
    </Dialog>
  );
}

type KeysProps = { name: string; keys: readonly (readonly [keys: string, does: string])[] };

const Keys = ({ name, keys }: KeysProps): ReactElement | null =>
  keys.length === 0 ? null : (
    <section aria-label={name}>
      <h3>{name}</h3>
      <dl>
        {keys.map(([key, does]) => (
          <div key={key}>
            <dt>
              {key.split(" ").map((one) => (
                <Key key={one}>{one}</Key>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
