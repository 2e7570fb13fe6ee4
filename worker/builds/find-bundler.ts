import { chmodSync, copyFileSync, existsSync, mkdirSync, realpathSync, renameSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { stickyBit } from "../environments/make-owned-folder.ts";

/** The programs of a build, which a sandbox can read. `npm`: the path of npm-cli.js; null where the machine has none. */
export type Bundler = { esbuild: string; npm: string | null };

/** Returns the bundler of this machine; null where npm left out the binary of its platform. */
export function findBundler(directory: string): Bundler | null {
  const found = findEsbuild();
  return found === null ? null : { esbuild: copyBinary(found, directory), npm: findNpm() };
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

/** npm comes with Node. */
function findNpm(): string | null {
  const node = dirname(realpathSync(process.execPath));
  const places = [join(node, "../lib/node_modules/npm/bin/npm-cli.js"), join(node, "node_modules/npm/bin/npm-cli.js")];
  return places.find((path) => existsSync(path)) ?? null;
}
