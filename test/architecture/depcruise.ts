import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

/** The folders that the import rules speak of. */
export const folders = [
  "shared",
  "api",
  "cli",
  "console",
  "sdk",
  "worker",
  "gateway",
  "dev",
  "prisma",
  "bench",
  "chaos",
  "test",
];

type Violation = { rule: { name: string }; from: string; to: string };
type Cruise = { modules: { source: string }[]; summary: { violations: Violation[] } };

/** Runs the import rules (`root`'s .dependency-cruiser.cjs) over the tree at `cwd`. `modules`: the paths that it read. */
export function depcruise(root: string, cwd: string): Promise<{ modules: Set<string>; violations: Violation[] }> {
  const bin = join(root, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs");
  const present = folders.filter((folder) => existsSync(join(cwd, folder)));
  const args = [bin, "--config", join(root, ".dependency-cruiser.cjs"), "--output-type", "json", ...present];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { cwd, maxBuffer: 256 << 20 }, (fault, stdout, stderr) => {
      if (stdout === "") return reject(new Error(stderr, { cause: fault }));
      const { modules, summary } = JSON.parse(stdout) as Cruise;
      resolve({ modules: new Set(modules.map(({ source }) => source)), violations: summary.violations });
    });
  });
}
