import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type ErrorCode, errorKinds } from "../../../shared/domain/errors/error-codes.ts";

/** Parts that are handed over rather than imported. */
const handedOver: [call: RegExp, file: string][] = [
  [/capacity\.reserve\(/, "shared/services/runs/check-capacity.ts"],
  [/room\.reserve\(/, "shared/services/runs/check-queue-limits.ts"],
  [/capacity\.check\(/, "shared/services/runs/check-quota.ts"],
];

export const allCodes = new Set(Object.values(errorKinds).flatMap(({ codes }) => Object.keys(codes) as ErrorCode[]));
const sources = new Map(readSources());
const shell = [...sources.keys()].filter((file) => file.startsWith("api/http/") && file !== "api/http/caller.ts");

/** The codes that are thrown before an operation is reached, or whatever it is. */
export const shellCodes = codesIn(shell);

/** The codes that are thrown anywhere. */
export const thrownCodes = codesIn(sources.keys());

/** The codes that are thrown in the file that defines an operation, and in all files that it leads to. */
export function codesThrownBy({ name, path }: { name: string; path: string }): Set<string> {
  const defines = (text: string): boolean => text.includes(`name: "${name}",`) && text.includes(`path: "${path}",`);
  const [file] = [...sources].find(([, text]) => defines(text)) ?? [];
  if (file === undefined) throw new Error(`No file defines ${name}`);
  const reached = new Set([file]);
  for (const next of reached) for (const found of leadsTo(next)) reached.add(found);
  return codesIn(reached);
}

function readSources(): [file: string, text: string][] {
  const list = (folder: string) => readdirSync(folder, { recursive: true, encoding: "utf8" });
  const files = ["api", "shared"].flatMap((folder) => list(folder).map((file) => join(folder, file)));
  const read = files.filter((file) => file.endsWith(".ts") && file !== "shared/domain/errors/app-error.ts");
  return read.map((file) => [file, readFileSync(file, "utf8")]);
}

function leadsTo(file: string): string[] {
  const text = sources.get(file) ?? "";
  const imported = [...text.matchAll(/^import (?!type )[^;]*? from "(\.[^"]+)";$/gm)].map(([, to = ""]) =>
    join(dirname(file), to),
  );
  const given = handedOver.filter(([call]) => call.test(text)).map(([, to]) => to);
  return [...imported, ...given].filter((to) => sources.has(to) && !shell.includes(to));
}

/** A code is the first argument of a call, or the second one after its kind; of `notFound` the thing is. */
function codesIn(files: Iterable<string>): Set<string> {
  const calls = [...files].flatMap((file) => [
    ...(sources.get(file) ?? "").matchAll(/(\w+)\(\s*(?:"\w+",\s*)?"(\w+)"/g),
  ]);
  const codes = calls.map(([, called, word]) => (called === "notFound" ? `${word}_not_found` : String(word)));
  return new Set(codes.filter((code) => (allCodes as Set<string>).has(code)));
}
