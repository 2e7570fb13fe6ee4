import { dirname } from "node:path";
import { sourceFiles } from "./source-files.ts";

/** `npm run metrics`: how many lines files have, by room, and which import most. A thermometer: it shows where to look, and no rule depends on it. */
const rooms = ["shared", "api", "worker", "gateway", "dev", "prisma"];
const files = await sourceFiles(process.cwd(), rooms);
const sized = files.map(({ path, text }) => ({
  path,
  lines: text.split("\n").length - 1,
  imports: [...text.matchAll(/^(import|\}) .*"\.\.?\//gm)].length,
}));

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.floor((sorted.length - 1) * share)] ?? 0;

function row(name: string, group: readonly { lines: number }[]): string {
  const lengths = group.map(({ lines }) => lines).toSorted((one, other) => one - other);
  const sum = lengths.reduce((total, lines) => total + lines, 0);
  const figures = [lengths.length, sum, quantile(lengths, 0.5), quantile(lengths, 0.9), quantile(lengths, 1)];
  return `| ${name} | ${figures.join(" | ")} |`;
}

function rowsBy(nameOf: (path: string) => string): string[] {
  const names = [...new Set(sized.map(({ path }) => nameOf(path)))];
  return names.map((name) =>
    row(
      name,
      sized.filter(({ path }) => nameOf(path) === name),
    ),
  );
}

console.log("| room | files | lines | median | p90 | longest |\n|---|--:|--:|--:|--:|--:|");
console.log([row("all", sized), ...rowsBy((path) => path.split("/")[0] ?? "")].join("\n"));
console.log("\n| folder | files | lines | median | p90 | longest |\n|---|--:|--:|--:|--:|--:|");
console.log(rowsBy(dirname).join("\n"));
console.log("\nLongest files:");
const longest = sized.toSorted((one, other) => other.lines - one.lines).slice(0, 15);
for (const { path, lines } of longest) console.log(`${String(lines).padStart(5)} ${path}`);

console.log("\nFiles that import most of ours, tables of operations aside:");
const importing = sized.filter(({ path }) => !path.endsWith("/operations.ts") && path !== "api/operations.ts");
for (const { path, imports } of importing.toSorted((one, other) => other.imports - one.imports).slice(0, 10))
  console.log(`${String(imports).padStart(5)} ${path}`);
