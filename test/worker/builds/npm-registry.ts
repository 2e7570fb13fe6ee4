import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { tarEntry, tarOf } from "../environments/make-archive.ts";

/** Versions of packages: `name@version` → its files. package.json is made; `dependencies` are those of all versions of a name. */
export type NpmPackages = Record<
  string,
  { files: Record<string, string>; dependencies?: Record<string, string>; scripts?: Record<string, string> }
>;

export type NpmRegistry = {
  /** `http://127.0.0.1:<port>/`. */
  url: string;
  /** From now on the registry has these packages, too. */
  add(packages: NpmPackages): void;
  /** The paths that were asked for so far. */
  asked: string[];
  close(): Promise<void>;
};

/** A registry on this machine's loopback. `slow` is never answered; the tarballs of `lying` aren't what their hash says. */
export async function openNpmRegistry(packages: NpmPackages): Promise<NpmRegistry> {
  const all = new Map(Object.entries(packages));
  const asked: string[] = [];
  const server = createServer((req, res) => {
    const path = decodeURIComponent(new URL(req.url ?? "/", "http://registry").pathname).slice(1);
    asked.push(path);
    if (path === "slow") return;
    const tarball = /^(.+)\/-\/(.+)\.tgz$/.exec(path);
    if (tarball) return void res.end(tarballOf(all, tarball[2] ?? "").bytes);
    const versions = [...all.keys()].filter((name) => name.replace(/@[^@]*$/, "") === path);
    if (versions.length === 0) return void res.writeHead(404, { "content-type": "application/json" }).end("{}");
    res.setHeader("content-type", "application/json");
    res.end(JSON.stringify(packument(all, path, versions, `http://${req.headers.host}`)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    add: (more) => Object.entries(more).forEach(([name, one]) => all.set(name, one)),
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type All = Map<string, NpmPackages[string]>;

function packument(all: All, name: string, versions: string[], origin: string) {
  const numbers = versions.map((one) => one.slice(name.length + 1));
  const records = numbers.map((version) => {
    const { bytes, dependencies, scripts } = tarballOf(all, `${name}@${version}`);
    const honest = name === "lying" ? Buffer.from("something else") : bytes;
    const integrity = `sha512-${createHash("sha512").update(honest).digest("base64")}`;
    const dist = { tarball: `${origin}/${name}/-/${encodeURIComponent(`${name}@${version}`)}.tgz`, integrity };
    return [version, { name, version, dependencies, scripts, hasInstallScript: scripts !== undefined, dist }] as const;
  });
  return { name, "dist-tags": { latest: numbers.at(-1) }, versions: Object.fromEntries(records) };
}

function tarballOf(all: All, key: string) {
  const at = key.lastIndexOf("@");
  const { files, dependencies, scripts } = all.get(key) ?? { files: {} };
  const manifest = { name: key.slice(0, at), version: key.slice(at + 1), main: "index.js", dependencies, scripts };
  const entries = Object.entries({ "package.json": JSON.stringify(manifest), ...files });
  const bytes = gzipSync(tarOf(...entries.map(([name, body]) => tarEntry({ name: `package/${name}`, body }))));
  return { bytes, dependencies, scripts };
}
