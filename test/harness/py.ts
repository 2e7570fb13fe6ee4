/**
 * Python source, indented as the test around it: what its lines have in common at their start is taken off. Backslashes
 * are Python's. A value is put in as it is.
 */
export function py(strings: TemplateStringsArray, ...values: (string | number)[]): string {
  const lines = strings.raw.join("\0").replace(/^\n/, "").trimEnd().split("\n");
  const indents = lines.filter((line) => line.trim() !== "").map((line) => line.search(/\S/));
  const common = Math.min(...indents);
  const parts = lines
    .map((line) => line.slice(common))
    .join("\n")
    .split("\0");
  return parts.map((part, i) => `${part}${values[i] ?? ""}`).join("") + "\n";
}
