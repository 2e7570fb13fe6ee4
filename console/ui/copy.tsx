import { type ReactElement, useState } from "react";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";

/** Copies a text, and says that it has. Over plain http browsers let no page copy: nothing is shown. */
export function Copy({ text, label }: { text: string; label: string }): ReactElement | null {
  const [isDone, setDone] = useState(false);
  async function copy(): Promise<void> {
    await navigator.clipboard.writeText(text);
    setDone(true);
    setTimeout(() => setDone(false), 1_500);
  }
  if (!isSecureContext) return null;
  return (
    <Button look="quiet" aria-label={isDone ? "Copied" : label} title={label} onClick={() => void copy()}>
      <Icon name={isDone ? "check" : "copy"} size={13} />
    </Button>
  );
}
