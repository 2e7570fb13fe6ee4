import { chmodSync, copyFileSync, existsSync, mkdirSync, realpathSync, renameSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, delimiter, dirname, join } from "node:path";
import { stickyBit } from "../environments/make-owned-folder.ts";

/** The programs of a build, which a sandbox can read. `npm`: the path of npm-cli.js; null where the machine has none. */
export type Bundler = { esbuild: string; npm: string | null };

/** Returns the bundler of this machine; null where npm left out the binary of its platform. `searchPath`: as PATH is, for npm. */
export function findBundler(directory: string, searchPath: string): Bundler | null {
  const found = findEsbuild();
  return found === null ? null : { esbuild: copyBinary(found, directory), npm: findNpm(searchPath) };
}

type Esbuild = { path: string; version: string };

function findEsbuild(): Esbuild | null {
  const from = createRequire(createRequire(import.meta.url).resolve("esbuild/package.json"));
  const { version }: { version: string } = from("./package.json");
  try {
    return { path: from.resolve(`@esbuild/${process.platform}-${process.arch}/bin/esbuild`), version };
  } catch {
    return null;
  }
}

/** A sandbox's user can't reach Runfleet's own directory when that is below a home of mode 0700. */
function copyBinary({ path, version }: Esbuild, directory: string): string {
  const folder = join(directory, `esbuild-${version}-${process.platform}-${process.arch}`);
  const place = join(folder, "esbuild");
  if (existsSync(place)) return place;
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const draft = `${place}.${process.pid}`;
  copyFileSync(path, draft);
  chmodSync(draft, 0o755 | stickyBit);
  renameSync(draft, place);
  return place;
}

/** npm comes with Node, or is a package of its own, as on Debian: then a command of PATH leads to it. */
function findNpm(searchPath: string): string | null {
  const node = dirname(realpathSync(process.execPath));
  const places = [join(node, "../lib/node_modules/npm/bin/npm-cli.js"), join(node, "node_modules/npm/bin/npm-cli.js")];
  const commands = searchPath.split(delimiter).map((folder) => join(folder, "npm"));
  const found = [...places, ...commands].filter((path) => existsSync(path)).map((path) => realpathSync(path));
  // A version manager's command of that name is another program.
  return found.find((path) => basename(path) === "npm-cli.js") ?? null;
}
