import type { ReactElement, ReactNode } from "react";
import { Copy } from "./copy.tsx";
import { formatCount } from "./format.ts";

/** A run may say 10 MiB: a page that shows so much of it stands still for seconds, at each piece that comes. */
const mostShown = 256 * 1024;

type Props = { text: string; className?: string | undefined; children?: ReactNode };

/** A text, or its end and how much stands before that. The children stand behind it. */
export function LongText({ text, className, children }: Props): ReactElement {
  const hidden = Math.max(0, text.length - mostShown);
  return (
    <p className={className}>
      {hidden > 0 && (
        <span className="dim">
          The first {formatCount(hidden)} characters are not shown. <Copy text={text} label="Copy all of the text" />
          {"\n"}
        </span>
      )}
      {text.slice(hidden)}
      {children}
    </p>
  );
}
