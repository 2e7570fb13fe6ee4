import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { keptBit } from "../../environments/own-folder.ts";

/**
 * Puts what makes JavaScript of TypeScript, one file without dependencies, where every user may read it: a sandbox has a
 * user of its own, who can't get to where we are installed when that is below a closed home. Gives its path.
 */
export function placeTypeStripper(directory: string): string {
  const bytes = readFileSync(fileURLToPath(import.meta.resolve("@swc/wasm-typescript")));
  const folder = join(directory, `type-stripper-${createHash("sha256").update(bytes).digest("hex").slice(0, 32)}`);
  const place = join(folder, "wasm.js");
  if (existsSync(place)) return place;
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const draft = `${place}.${process.pid}`;
  writeFileSync(draft, bytes);
  chmodSync(draft, 0o644 | keptBit);
  renameSync(draft, place);
  return place;
}
