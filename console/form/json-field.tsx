import type { ReactElement } from "react";
import styles from "./form.module.css";
import { useTypedText } from "./use-typed-text.ts";

type Props = {
  id?: string;
  label?: string;
  value: unknown;
  onChange: (value: unknown) => void;
  rows?: number;
  required?: boolean;
  "aria-describedby"?: string | undefined;
};

/** A value as JSON. What is no JSON stays in the field, with what is wrong, until it is. */
export function JsonField({ value, onChange, rows = 6, label, ...props }: Props): ReactElement {
  const { text, fault, change } = useTypedText({ value, onChange, show, read });
  // A text of spaces is none.
  const unread = fault ?? (props.required && value === undefined ? "Fill in JSON." : "");
  return (
    <>
      <textarea
        {...props}
        ref={(field) => field?.setCustomValidity(unread)}
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

const read = (text: string): unknown => (text.trim() === "" ? undefined : JSON.parse(text));
