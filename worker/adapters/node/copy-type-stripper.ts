import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stickyBit } from "../../environments/make-owned-folder.ts";

/**
 * Copies the module that turns TypeScript into JavaScript, one file without dependencies, to a place that every user may
 * read: a sandbox's user can't reach Runfleet's own directory when that is below a home of mode 0700. Returns the path.
 */
export function copyTypeStripper(directory: string): string {
  const bytes = readFileSync(fileURLToPath(import.meta.resolve("@swc/wasm-typescript")));
  const folder = join(directory, `type-stripper-${createHash("sha256").update(bytes).digest("hex").slice(0, 32)}`);
  const place = join(folder, "wasm.js");
  if (existsSync(place)) return place;
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const draft = `${place}.${process.pid}`;
  writeFileSync(draft, bytes);
  chmodSync(draft, 0o644 | stickyBit);
  renameSync(draft, place);
  return place;
}
