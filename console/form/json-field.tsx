import { type ReactElement, useState } from "react";
import styles from "./form.module.css";

type Props = {
  id?: string;
  label?: string;
  value: unknown;
  onChange: (value: unknown) => void;
  rows?: number;
  "aria-describedby"?: string | undefined;
};

/** A value as JSON. What is no JSON stays in the field, with what is wrong, until it is. */
export function JsonField({ value, onChange, rows = 6, label, ...props }: Props): ReactElement {
  const [text, setText] = useState(() => show(value));
  const [shown, setShown] = useState(value);
  const [fault, setFault] = useState<string | null>(null);
  // The value was changed elsewhere.
  if (value !== shown) {
    setShown(value);
    setText(show(value));
    setFault(null);
  }
  function change(given: string): void {
    setText(given);
    try {
      const next: unknown = given.trim() === "" ? undefined : JSON.parse(given);
      setFault(null);
      setShown(next);
      onChange(next);
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error));
    }
  }
  return (
    <>
      <textarea
        {...props}
        aria-label={label}
        aria-invalid={fault !== null}
        className={styles.json}
        rows={rows}
        spellCheck={false}
        value={text}
        onChange={({ target }) => change(target.value)}
      />
      {fault && (
        <p role="alert" className="bad">
          {fault}
        </p>
      )}
    </>
  );
}

const show = (value: unknown): string => (value === undefined ? "" : JSON.stringify(value, null, 2));
