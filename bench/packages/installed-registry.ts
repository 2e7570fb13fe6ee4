import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { projectFolder } from "../../dev/reachable.ts";

const root = projectFolder();
const run = promisify(execFile);

type Manifest = Record<string, unknown> & { name: string; version: string };

/** An npm registry on this machine's loopback with the packages that are installed here, and no others. */
export async function openInstalledRegistry(): Promise<{ url: string; host: string; close(): Promise<void> }> {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, unknown>;
  };
  const folders = Object.keys(packages).filter((path) => path.startsWith("node_modules/"));
  const server = createServer((req, res) => {
    const path = decodeURIComponent(new URL(req.url ?? "/", "http://registry").pathname).slice(1);
    const tarball = /^-\/(.+)\.tgz$/.exec(path)?.[1];
    const answer = tarball === undefined ? packument(folders, path, req.headers.host ?? "") : pack(tarball);
    answer.then(
      (body) => (body === null ? res.writeHead(404).end("{}") : res.end(body)),
      () => res.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${host}/`,
    host,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A package may be installed in several versions. */
async function packument(folders: string[], name: string, host: string): Promise<string | null> {
  const places = folders.filter((path) => path.endsWith(`node_modules/${name}`));
  const manifests = places.flatMap((path): [string, Manifest][] => {
    try {
      return [[path, JSON.parse(readFileSync(join(root, path, "package.json"), "utf8")) as Manifest]];
    } catch {
      // Packages of other platforms are in the lock only.
      return [];
    }
  });
  if (manifests.length === 0) return null;
  const versions = manifests.map(([path, manifest]) => {
    const { version, dependencies, peerDependencies, peerDependenciesMeta, optionalDependencies, engines } = manifest;
    const dist = { tarball: `http://${host}/-/${encodeURIComponent(path)}.tgz` };
    const needs = { dependencies, peerDependencies, peerDependenciesMeta, optionalDependencies, engines };
    return [version, { name: manifest.name, version, ...needs, dist }] as const;
  });
  // The lock lists the outermost one first, which the project itself uses.
  return JSON.stringify({ name, "dist-tags": { latest: versions[0]?.[0] }, versions: Object.fromEntries(versions) });
}

async function pack(path: string): Promise<Buffer> {
  const options = ["--exclude=./node_modules", "--transform=s,^\\.,package,", "-czf", "-", "."];
  const { stdout } = await run("tar", ["-C", join(root, path), ...options], { encoding: "buffer", maxBuffer: 1 << 28 });
  return stdout;
}
