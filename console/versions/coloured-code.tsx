import { highlightCode, tagHighlighter, tags } from "@lezer/highlight";
import { parser as javascript } from "@lezer/javascript";
import { parser as json } from "@lezer/json";
import { parser as python } from "@lezer/python";
import type { ReactElement } from "react";
import type { CodeFile } from "./code-files.ts";
import { CodeLines } from "./code-lines.tsx";
import styles from "./versions.module.css";

const typescript = javascript.configure({ dialect: "ts jsx" });

const parsers = [
  [/\.pyi?$/, python],
  [/\.[cm]?[jt]sx?$/, typescript],
  [/\.json$/, json],
] as const;

const colours = tagHighlighter([
  { tag: tags.comment, class: styles.comment ?? "" },
  { tag: [tags.string, tags.special(tags.string)], class: styles.string ?? "" },
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier, tags.self], class: styles.keyword ?? "" },
  { tag: [tags.number, tags.bool, tags.null], class: styles.value ?? "" },
  {
    tag: [tags.definition(tags.variableName), tags.function(tags.definition(tags.variableName))],
    class: styles.name ?? "",
  },
  { tag: [tags.definition(tags.className), tags.typeName, tags.className], class: styles.name ?? "" },
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], class: styles.property ?? "" },
]);

/** A file's lines, coloured by its language. A file of another language is plain. */
export function ColouredCode({ file: { name, text } }: { file: CodeFile }): ReactElement {
  const parser = parsers.find(([ending]) => ending.test(name))?.[1];
  if (!parser) return <CodeLines name={name} lines={text.split("\n")} />;
  const lines: ReactElement[][] = [[]];
  const put = (part: string, colour: string): void => {
    const line = lines.at(-1) ?? [];
    line.push(
      <span key={line.length} className={colour || undefined}>
        {part}
      </span>,
    );
  };
  highlightCode(text, parser.parse(text), colours, put, () => void lines.push([]));
  return <CodeLines name={name} lines={lines} />;
}
