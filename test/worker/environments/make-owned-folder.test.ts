import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { makeOwnedFolder } from "../../../worker/environments/make-owned-folder.ts";

const isRoot = process.getuid?.() === 0;
const folder = mkdtempSync("/var/tmp/runfleet-folders-");
chmodSync(folder, 0o755);
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);

describe("the folder of environments", () => {
  test("is made for this user to write and every user to read, and is taken again as it is", () => {
    const umask = process.umask(0o077);
    expect(makeOwnedFolder(at("new/environments"))).toBeNull();
    process.umask(umask);
    expect(statSync(at("new")).mode & 0o777).toBe(0o755);
    chmodSync(at("new/environments"), 0o700);
    expect(makeOwnedFolder(at("new/environments"))).toBeNull();
    expect(statSync(at("new/environments")).mode & 0o777).toBe(0o755);
  });

  test("is no link, no file, and nothing that another user could exchange", () => {
    mkdirSync(at("target"));
    symlinkSync(at("target"), at("link"));
    expect(makeOwnedFolder(at("link"))).toMatch(/another user.*ENVIRONMENTS_DIR/);
    expect(makeOwnedFolder("/dev/null")).toMatch(/ENVIRONMENTS_DIR/);
    mkdirSync(at("open"));
    chmodSync(at("open"), 0o777);
    expect(makeOwnedFolder(at("open/environments"))).toMatch(/open can be changed by other users/);
    // As the kubelet makes an emptyDir of a pod with fsGroup.
    chmodSync(at("open"), 0o2777);
    expect(makeOwnedFolder(at("open/environments"))).toMatch(/open can be changed by other users/);
    chmodSync(at("open"), 0o1777);
    expect(makeOwnedFolder(at("open/environments"))).toBeNull();
  });

  test.runIf(isRoot)("is not below another user's folder, nor where the sandboxes' users can't get to", () => {
    mkdirSync(at("theirs"));
    chownSync(at("theirs"), 54_321, 54_321);
    expect(makeOwnedFolder(at("theirs/environments"))).toMatch(/theirs can be changed by other users/);
    mkdirSync(at("closed"), { mode: 0o700 });
    expect(makeOwnedFolder(at("closed/environments"))).toMatch(/closed is closed to the sandboxes' users/);
  });

  test.runIf(isRoot)(
    "is another one for each user of a machine: after root's worker, an ordinary user's has a Node adapter",
    () => {
      const uid = 54_321;
      const places = [0, uid].map((who) =>
        execFileSync(process.execPath, ["--input-type=module", "-e", openAsUser], {
          uid: who,
          gid: who,
          cwd: join(import.meta.dirname, "../../.."),
          env: {},
          encoding: "utf8",
        }).trim(),
      );
      try {
        expect(places).toEqual([expect.stringContaining("/var/tmp/runfleet-0/"), expect.stringContaining(`-${uid}/`)]);
      } finally {
        rmSync(`/var/tmp/runfleet-${uid}`, { recursive: true, force: true });
      }
    },
  );
});

const openAsUser = `
const { loadConfig } = await import("./dist/shared/platform/config/load-config.js");
const { findNode } = await import("./dist/worker/adapters/node/find-node.js");
const { installer } = loadConfig({
  DATABASE_URL: "postgresql://x/x", REDIS_URL: "redis://x", ENCRYPTION_KEYS: "k1:" + Buffer.alloc(32).toString("base64"),
});
const { Readable } = await import("node:stream");
const said = Readable.from([process.version + "\\n"]);
const child = { stdin: { end() {} }, stdout: said, stderr: Readable.from([]), exited: Promise.resolve() };
const log = { warn: (fields) => console.log(JSON.stringify(fields)) };
const node = await findNode({ sandbox: { start: async () => child }, directory: installer.directory, log });
console.log(node?.typeStripper);
`;
