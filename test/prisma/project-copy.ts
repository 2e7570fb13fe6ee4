import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

export const root = fileURLToPath(new URL("../..", import.meta.url));

/** A folder with a copy of the project's Prisma part, which a test may write to. */
export function projectCopy(): string {
  const folder = mkdtempSync(join(tmpdir(), "runfleet-prisma-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const name of ["prisma", "prisma.config.ts", "package.json"])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return folder;
}
