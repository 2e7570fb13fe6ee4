import { execFileSync, spawnSync } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Whether this interpreter can install anything. */
export const hasPip = (python: string): boolean => spawnSync(python, ["-I", "-m", "pip", "--version"]).status === 0;

/** Wheels in a folder that every user can read, and a package index of them on this machine's loopback. */
export type WheelIndex = {
  folder: string;
  /** `http://127.0.0.1:<port>/simple/`. */
  url: string;
  /** `127.0.0.1:<port>`. */
  host: string;
  /** The paths that were asked for so far. */
  asked: string[];
  /** Adds wheels, or replaces those of the same name and version. */
  add(wheels: Wheels): void;
  /** Requests with other credentials are refused from now on; `user:password`. */
  demand(credentials: string): void;
  /** Downloads of wheels wait from now on, until what this returns is called. */
  hold(): () => void;
  close(): Promise<void>;
};

/** Project, or `project@version` (1.2.0) → what its wheel holds: path → text, or a number of zeros. Pages of `slow…` are never answered; those of `offsite…` send to another host, those of `lying…` name a wrong hash. */
type Wheels = Record<string, Record<string, string | number>>;

export async function openWheelIndex(wheels: Wheels): Promise<WheelIndex> {
  const folder = mkdtempSync("/var/tmp/runfleet-wheels-");
  chmodSync(folder, 0o755);
  const add = (more: Wheels): void =>
    void execFileSync("python3", ["-I", "-c", makeWheels, folder, JSON.stringify(more)]);
  add(wheels);
  const asked: string[] = [];
  let credentials: string | null = null;
  let held = Promise.resolve();
  const server = createServer((req, res) => {
    const path = new URL(req.url ?? "/", "http://index").pathname;
    asked.push(path);
    const given = Buffer.from((req.headers.authorization ?? "").replace(/^Basic /, ""), "base64").toString();
    if (credentials !== null && given !== credentials)
      return void res.writeHead(401, { "www-authenticate": "Basic" }).end();
    if (path.startsWith("/simple/slow")) return;
    const project = /^\/simple\/([^/]+)\/$/.exec(path)?.[1];
    const names = readdirSync(folder);
    if (project === undefined) {
      const name = path.slice("/files/".length);
      if (!names.includes(name)) return void res.writeHead(404).end();
      return void held.then(() => res.end(readFileSync(join(folder, name))));
    }
    const base = project.startsWith("offsite") ? `http://localhost:${req.socket.localPort}` : "";
    const hash = project.startsWith("lying") ? `#sha256=${"0".repeat(64)}` : "";
    const links = names
      .filter((name) => name.startsWith(`${project}-`))
      .map((name) => `<a href="${base}/files/${name}${hash}">${name}</a>`);
    res.writeHead(links.length > 0 ? 200 : 404, { "content-type": "text/html" }).end(links.join("\n"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    folder,
    url: `http://${host}/simple/`,
    host,
    asked,
    add,
    demand: (wanted) => void (credentials = wanted),
    hold() {
      let letGo = (): void => undefined;
      held = new Promise((resolve) => (letGo = resolve));
      return letGo;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        rmSync(folder, { recursive: true });
      }),
  };
}

/** A wheel is a zip file. */
const makeWheels = `
import json, sys, zipfile
for name, files in json.loads(sys.argv[2]).items():
    name, _, version = name.partition("@")
    version = version or "1.2.0"
    info = name + "-" + version + ".dist-info/"
    with zipfile.ZipFile(sys.argv[1] + "/" + name + "-" + version + "-py3-none-any.whl", "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files.items():
            wheel.writestr(path, content if isinstance(content, str) else bytes(content))
        wheel.writestr(info + "METADATA", "Metadata-Version: 2.1\\nName: " + name + "\\nVersion: " + version + "\\n")
        wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr(info + "RECORD", "")
`;
