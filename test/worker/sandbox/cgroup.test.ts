import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { findHierarchy } from "../../../worker/sandbox/cgroup/find-hierarchy.ts";

const root = mkdtempSync(join(tmpdir(), "cgroup-"));
afterAll(() => rm(root, { recursive: true }));

const mount = (point: string, type: string, options: string) => `30 20 0:1 / ${point} rw - ${type} none ${options}\n`;
const make = (...parts: string[]) => {
  const directory = join(root, ...parts);
  mkdirSync(directory, { recursive: true });
  return directory;
};

test("v1: each controller's own group of the worker, or the mount point where that is hidden", () => {
  const memory = make("memory", "box", "one");
  const mountinfo = ["memory", "pids", "cpu,cpuacct"].map((name) => mount(make(name), "cgroup", `rw,${name}`)).join("");
  const membership = "9:pids:/hidden\n4:memory:/box/one\n2:cpu,cpuacct:/\n0::/\n";
  expect(findHierarchy({ mountinfo, membership })).toEqual({
    version: 1,
    memory,
    pids: join(root, "pids"),
    cpu: join(root, "cpu,cpuacct"),
    shares: join(root, "cpu,cpuacct"),
    io: null,
  });
});

test("v2: a group that hands memory and pids down is used as it is", () => {
  const own = make("unified", "worker.service");
  writeFileSync(join(own, "cgroup.subtree_control"), "memory pids\n");
  const found = findHierarchy({
    mountinfo: mount(make("unified"), "cgroup2", "rw"),
    membership: "0::/worker.service\n",
  });
  expect(found).toEqual({ version: 2, memory: own, pids: own, cpu: own, shares: own, io: own });
});

test("v2: a group without those controllers is refused with the reason, and left as it was", () => {
  const own = make("bare", "worker.service");
  writeFileSync(join(own, "cgroup.subtree_control"), "");
  writeFileSync(join(own, "cgroup.controllers"), "hugetlb\n");
  const found = findHierarchy({ mountinfo: mount(make("bare"), "cgroup2", "rw"), membership: "0::/worker.service\n" });
  expect(found).toEqual({ reason: expect.stringContaining("no memory and pids controllers") });
  expect(readFileSync(join(own, "cgroup.subtree_control"), "utf8")).toBe("");
});

test("no hierarchy at all is a reason as well", () => {
  expect(findHierarchy({ mountinfo: "", membership: "" })).toEqual({ reason: "no cgroup hierarchy is mounted" });
});
