import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { depcruise, folders } from "./depcruise.ts";
import { sourceFiles } from "./source-files.ts";

const root = join(import.meta.dirname, "../..");

/** Imports that must be refused: rule, file, what it imports (a path from the root, or a package). */
const refused: [rule: string, from: string, to: string][] = [
  ["shared-imports-nothing-of-ours", "shared/a.ts", "api/app.ts"],
  ["shared-imports-nothing-of-ours", "shared/b.ts", "prisma/deploy.ts"],
  ["api-and-worker-never-meet", "api/a.ts", "worker/attempt/execute-run.ts"],
  ["api-and-worker-never-meet", "worker/a.ts", "api/app.ts"],
  ["api-and-worker-never-meet", "worker/f.ts", "gateway/limits.ts"],
  ["gateway-imports-shared-only", "gateway/a.ts", "worker/attempt/execute-run.ts"],
  ["gateway-imports-shared-only", "gateway/b.ts", "prisma/deploy.ts"],
  ["prisma-is-for-deploy", "worker/b.ts", "prisma/deploy.ts"],
  ["dev-starts-processes", "dev/a.ts", "worker/attempt/execute-run.ts"],
  ["nothing-needs-dev", "api/c.ts", "dev/stack.ts"],
  ["cli-knows-the-wire-only", "cli/a.ts", "shared/domain/run/run-modes.ts"],
  ["nothing-needs-cli", "api/f.ts", "cli/main.ts"],
  ["sdk-knows-the-document-only", "sdk/ts/a.ts", "shared/schemas/run-event.ts"],
  ["sdk-knows-the-document-only", "sdk/a.ts", "cli/main.ts"],
  ["sdk-runs-anywhere", "sdk/ts/b.ts", "node:fs"],
  ["console-knows-the-sdk-only", "console/runs/a.ts", "shared/domain/run/run-modes.ts"],
  ["console-knows-the-sdk-only", "console/runs/b.ts", "node:fs"],
  ["a-screen-stands-alone", "console/runs/c.ts", "console/agents/other.ts"],
  ["nothing-needs-console", "api/g.ts", "console/main.ts"],
  ["nothing-needs-sdk", "worker/g.ts", "sdk/ts/index.ts"],
  ["no-dep-on-test", "dev/b.ts", "test/harness.ts"],
  ["no-dep-on-test", "api/d.ts", "bench/figure.ts"],
  ["no-dep-on-test", "worker/e.ts", "chaos/fault.ts"],
  ["schemas-are-pure", "shared/schemas/a.ts", "node:fs"],
  ["schemas-are-pure", "shared/domain/run/b.ts", "shared/platform/log.ts"],
  ["schemas-are-pure", "worker/attempt/decide-a.ts", "shared/platform/stream/keys.ts"],
  ["schemas-are-pure", "api/stream/encode-sse.ts", "node:stream"],
  ["config-is-a-leaf", "shared/platform/config/a.ts", "shared/platform/log.ts"],
  ["platform-knows-no-act", "shared/platform/net/a.ts", "shared/store/runs/read/read-run.ts"],
  ["store-knows-no-act", "shared/store/runs/a.ts", "shared/services/runs/end-run.ts"],
  ["an-area-stands-alone", "api/runs/a.ts", "api/agents/create-agent.ts"],
  ["a-protocol-stands-alone", "api/protocols/one/a.ts", "api/protocols/other/b.ts"],
  ["http-and-stream-know-no-area", "api/http/a.ts", "api/agents/create-agent.ts"],
  ["stages-meet-in-the-story", "worker/prepare/a.ts", "worker/lease/hold-lease.ts"],
  ["stages-meet-in-the-story", "worker/adapters/python/b.ts", "worker/environments/make-room.ts"],
  ["express-lives-in-http", "api/runs/b.ts", "express"],
  ["bullmq-has-two-doors", "worker/reconcile/a.ts", "bullmq"],
  ["traces-leave-by-one-file", "worker/reconcile/b.ts", "@opentelemetry/api"],
  ["redis-has-few-doors", "api/runs/c.ts", "ioredis"],
  ["sql-lives-in-store", "worker/lease/a.ts", "pg"],
  ["sql-lives-in-store", "api/runs/d.ts", "@prisma/client"],
  ["sql-lives-in-store", "api/runs/e.ts", "shared/store/generated/client.ts"],
  ["processes-start-in-the-sandbox", "worker/adapters/python/a.ts", "node:child_process"],
  ["processes-start-in-the-sandbox", "gateway/c.ts", "node:child_process"],
  ["processes-start-in-the-sandbox", "cli/commands/a.ts", "node:child_process"],
  ["network-goes-through-the-guard", "worker/callbacks/a.ts", "undici"],
  ["network-goes-through-the-guard", "worker/callbacks/b.ts", "node:https"],
  ["no-cycles", "shared/left.ts", "shared/right.ts"],
  ["no-unresolvable", "shared/c.ts", "./gone.ts"],
  ["no-dev-dep-in-production", "shared/d.ts", "fast-check"],
  ["dependencies-are-declared", "shared/e.ts", "acorn"],
];

/** Their twins that must pass: the same doors, by those who may use them. */
const allowed: [from: string, to: string][] = [
  ["shared/right.ts", "shared/left.ts"],
  ["shared/schemas/ok.ts", "zod"],
  ["shared/domain/run/ok.ts", "cron-parser"],
  ["worker/attempt/decide-ok.ts", "worker/lease/abort-reason.ts"],
  ["api/runs/ok.ts", "api/stream/follow-run.ts"],
  ["api/protocols/one/ok.ts", "api/protocols/start-turn.ts"],
  ["api/runs/ok2.ts", "api/runs/ok.ts"],
  ["worker/adapters/python/ok.ts", "worker/sandbox/sandbox.ts"],
  ["worker/adapters/python/ok2.ts", "worker/environments/environments.ts"],
  ["worker/attempt/execute-run.ts", "worker/lease/hold-lease.ts"],
  ["api/http/ok.ts", "express"],
  ["worker/fleet/consume.ts", "bullmq"],
  ["shared/platform/stream/ok.ts", "ioredis"],
  ["shared/store/ok.ts", "pg"],
  ["prisma/deploy.ts", "pg"],
  ["worker/sandbox/levels/ok.ts", "node:child_process"],
  ["worker/gateway/ok.ts", "node:child_process"],
  ["worker/sandbox/levels/ok2.ts", "worker/gateway/egress.ts"],
  ["gateway/ok.ts", "shared/platform/net/ok.ts"],
  ["gateway/ok2.ts", "node:http"],
  ["shared/platform/net/ok.ts", "undici"],
  ["cli/ok.ts", "sdk/ts/index.ts"],
  ["console/runs/ok.ts", "sdk/ts/index.ts"],
  ["console/runs/ok2.ts", "console/ui/button.ts"],
  ["sdk/ok.ts", "node:fs"],
  ["test/ok.ts", "ioredis"],
  ["test/ok2.ts", "dev/stack.ts"],
  ["bench/ok.ts", "fast-check"],
];

/** What only a whole tree can show; the trees of single imports break these everywhere. */
const wholeTreeRules = ["no-orphans", "reachable-from-a-main"];

test("every import rule refuses what it names, type-only imports too, and nothing else", async () => {
  const tree = await plant([...refused.map(([, from, to]) => [from, to] as const), ...allowed]);

  const { violations } = await depcruise(root, tree);

  const found = violations.filter(({ rule }) => !wholeTreeRules.includes(rule.name));
  expect(names(found)).toEqual(expect.arrayContaining(refused.map(([rule, from]) => `${rule}: ${from}`)));
  const sources = new Set(refused.map(([, from]) => from));
  expect(found.filter(({ rule, from }) => rule.name !== "no-cycles" && !sources.has(from))).toEqual([]);
});

test("a file that no main reaches is found, whether or not something imports it", async () => {
  const tree = await plant([
    ["api/main.ts", "shared/used-by-api.ts"],
    ["worker/main.ts", "shared/used-by-worker.ts"],
    ["shared/forgotten.ts", "shared/used-by-api.ts"],
    ["test/forgotten.test.ts", "shared/forgotten.ts"],
  ]);
  await writeFile(join(tree, "shared/alone.ts"), "export const alone = 1;\n");

  const { violations } = await depcruise(root, tree);

  const dead = violations.filter(({ rule }) => rule.name === "reachable-from-a-main").map(({ to }) => to);
  expect([...new Set(dead)].sort()).toEqual(["shared/alone.ts", "shared/forgotten.ts"]);
  expect(names(violations)).toContain("no-orphans: shared/alone.ts");
});

test("no import rule stands untried, or without its sentence in CONTRIBUTING.md", async () => {
  const config = createRequire(import.meta.url)(join(root, ".dependency-cruiser.cjs")) as {
    forbidden: { name: string; comment: string }[];
  };
  const guide = await readFile(join(root, "CONTRIBUTING.md"), "utf8");
  const broken = new Set([...refused.map(([rule]) => rule), ...wholeTreeRules]);

  expect(config.forbidden.filter(({ name }) => !broken.has(name))).toEqual([]);
  expect(config.forbidden.filter(({ name, comment }) => !guide.includes(`- \`${name}\`: ${comment}\n`))).toEqual([]);
});

// Two thousand files are read: 12 s on two busy cores.
test("the project itself is read whole and keeps every rule", { timeout: 90_000 }, async () => {
  const [{ modules, violations }, files] = await Promise.all([depcruise(root, root), sourceFiles(root, folders)]);

  const unread = files.map(({ path }) => path).filter((path) => !modules.has(path));
  expect(files.length).toBeGreaterThan(0);
  expect(unread).toEqual([]);
  expect(violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`)).toEqual([]);
});

function names(violations: { rule: { name: string }; from: string }[]): string[] {
  return violations.map(({ rule, from }) => `${rule.name}: ${from}`);
}

/** A throw-away tree in which each `from` imports its `to`, with the repository's packages. */
async function plant(imports: readonly (readonly [from: string, to: string])[]): Promise<string> {
  const tree = await mkdtemp(join(tmpdir(), "rules-bite-"));
  onTestFinished(() => rm(tree, { recursive: true }));
  await symlink(join(root, "node_modules"), join(tree, "node_modules"));
  await writeFile(join(tree, "package.json"), await readFile(join(root, "package.json")));
  const sources = new Set(imports.map(([from]) => from));
  for (const [from, to] of imports) {
    const inTree = to.endsWith(".ts") && !to.startsWith("./");
    if (inTree && !sources.has(to)) await write(tree, to, "export type Thing = 1;\n");
    const specifier = inTree ? `./${relative(dirname(from), to)}` : to;
    await write(tree, from, `import type { Thing } from "${specifier}";\nexport type Mine = Thing;\n`);
  }
  return tree;
}

async function write(tree: string, path: string, text: string): Promise<void> {
  await mkdir(dirname(join(tree, path)), { recursive: true });
  await writeFile(join(tree, path), text);
}
