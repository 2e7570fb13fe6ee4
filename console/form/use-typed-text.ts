import { useState } from "react";

type TypedText = {
  text: string;
  /** Why the text is no value. */
  fault: string | null;
  change: (text: string) => void;
};

type Given = {
  value: unknown;
  onChange: (value: unknown) => void;
  show: (value: unknown) => string;
  /** Throws when a text is no value. */
  read: (text: string) => unknown;
};

/** A field's text as it was typed, and the value that is read from it. It is written anew when the value was changed elsewhere. */
export function useTypedText({ value, onChange, show, read }: Given): TypedText {
  const [text, setText] = useState(() => show(value));
  const [shown, setShown] = useState(value);
  const [fault, setFault] = useState<string | null>(null);
  if (value !== shown) {
    setShown(value);
    setText(show(value));
    setFault(null);
  }
  function change(given: string): void {
    setText(given);
    try {
      const next = read(given);
      setFault(null);
      setShown(next);
      onChange(next);
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error));
    }
  }
  return { text, fault, change };
}
