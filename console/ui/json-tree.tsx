import { type ReactElement, useMemo, useState } from "react";
import { Copy } from "./copy.tsx";
import styles from "./json-tree.module.css";

type Props = { value: unknown; label: string };

/** A JSON value whose parts open and close. Of a long list the first hundred parts are shown, and of a long text its beginning. */
export function JsonTree({ value, label }: Props): ReactElement {
  // A result may have 10 MiB, and a page that reads a stream is drawn many times a second.
  const text = useMemo(() => JSON.stringify(value, null, 2) ?? "", [value]);
  return (
    <div className={styles.tree} aria-label={label} role="group">
      <div className={styles.copy}>
        <Copy text={text} label={`Copy the ${label} as JSON`} />
      </div>
      <Node name={null} value={value} depth={0} />
    </div>
  );
}

const firstParts = 100;
const firstCharacters = 256 * 1024;

function Node({ name, value, depth }: { name: string | null; value: unknown; depth: number }): ReactElement {
  const [isOpen, setOpen] = useState(depth < 2);
  if (typeof value !== "object" || value === null) return <Leaf name={name} value={value} />;
  const entries = Object.entries(value);
  const [left, right] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  if (entries.length === 0) return <Leaf name={name} value={value} />;
  return (
    <div className={styles.node}>
      <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Name name={name} />
        {isOpen ? left : `${left} ${entries.length} ${right}`}
      </button>
      {isOpen && (
        <>
          <div className={styles.parts}>
            {entries.slice(0, firstParts).map(([key, part]) => (
              <Node key={key} name={key} value={part} depth={depth + 1} />
            ))}
            {entries.length > firstParts && (
              <p className="dim">and {entries.length - firstParts} more: copy it to see all</p>
            )}
          </div>
          {right}
        </>
      )}
    </div>
  );
}

const Name = ({ name }: { name: string | null }): ReactElement | null =>
  name === null ? null : <span className={styles.name}>{name}: </span>;

function Leaf({ name, value }: { name: string | null; value: unknown }): ReactElement {
  const kind = value === null ? "null" : typeof value;
  return (
    <div className={styles.leaf}>
      <Name name={name} />
      <span className={styles[kind]}>
        {typeof value === "string" ? `"${value.slice(0, firstCharacters)}"` : JSON.stringify(value)}
      </span>
      {typeof value === "string" && value.length > firstCharacters && (
        <p className="dim">and {value.length - firstCharacters} more characters: copy it to see all</p>
      )}
    </div>
  );
}
