import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { BlockList, isIPv6 } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { adapterTypes, lifecycles } from "../../shared/domain/run/run-modes.ts";
import { requestLimits } from "../../shared/domain/run/request-limits.ts";
import { archiveLimits } from "../../shared/platform/archive/read-folder-archive.ts";
import { loadConfig, variableNames } from "../../shared/platform/config/load-config.ts";
import { useTestStack } from "../harness/test-stack.ts";
import { readAlerts } from "./named-series.ts";
import { waitFor } from "../harness/wait-for.ts";

/** What of the chart can be held without Helm. `npm run chart` makes its objects and compares them with their kinds' schemas. */
const chart = "deploy/chart";
const read = (path: string): string => readFileSync(join(chart, path), "utf8");
const templates = readdirSync(join(chart, "templates"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".yaml") || name.endsWith(".tpl"))
  .map((name) => read(join("templates", name)))
  .join("\n");
const accepts = new Ajv2020({ strict: false }).compile(JSON.parse(read("values.schema.json")) as object);

test("the chart's values are what its schema says, and a misspelt one is refused", () => {
  expect([accepts(parse(read("values.yaml"))), accepts.errors]).toEqual([true, null]);
  for (const name of readdirSync(join(chart, "ci")))
    expect([name, accepts(parse(read(join("ci", name)))), accepts.errors]).toEqual([name, true, null]);
  for (const wrong of [
    { api: { replica: 3 } },
    { workers: { pools: { default: { slots: "many" } } } },
    { workers: { pools: { default: { sandbox: { profile: "none" } } } } },
    { env: { DATABASE_URL: "postgresql://runfleet:secret@postgres/runfleet" } },
    { secrets: { worker: ["STRIPE_SECRET_KEY"] } },
    { expectedAdapters: ["cobol"] },
  ])
    expect([wrong, accepts(wrong)]).toEqual([wrong, false]);
});

test("what workers may be started for is what the service knows", () => {
  const offers = adapterTypes.flatMap((type) =>
    lifecycles.map((lifecycle) => (lifecycle === "serverless" ? type : `${lifecycle}:${type}`)),
  );
  expect([accepts({ expectedAdapters: offers }), accepts.errors]).toEqual([true, null]);
});

test("what the schema allows of a pool, a worker starts with", () => {
  const { drainSeconds, slots } = (
    JSON.parse(read("values.schema.json")) as {
      $defs: { pool: { properties: Record<"drainSeconds" | "slots", { minimum: number; maximum: number }> } };
    }
  ).$defs.pool.properties;
  for (const bound of ["minimum", "maximum"] as const) {
    const env = {
      DATABASE_URL: "postgresql://runfleet@postgres/runfleet",
      REDIS_URL: "redis://redis",
      ENCRYPTION_KEYS: `one:${Buffer.alloc(32, 7).toString("base64")}`,
      SHUTDOWN_GRACE_MS: String(drainSeconds[bound] * 1_000),
      WORKER_SLOTS: String(slots[bound]),
    };
    expect(loadConfig(env)).toMatchObject({
      shutdownGraceMs: drainSeconds[bound] * 1_000,
      worker: { slots: slots[bound] },
    });
  }
});

test("the Ingress lets through the largest body that the API takes", () => {
  const [, megabytes] = /"proxy-body-size" "(\d+)m"/.exec(read("templates/api.yaml")) ?? [];
  expect(Number(megabytes) * 1024 ** 2).toBeGreaterThan(Math.max(archiveLimits.packed_bytes, requestLimits.body_bytes));
});

test("each variable that the chart sets is one that the service reads, and each program is there", () => {
  const set = [...templates.matchAll(/\{ name: ([A-Z][A-Z_]+), value/g)].map(([, name = ""]) => name);
  expect(set.length).toBeGreaterThan(8);
  const ofTest = ["RUNFLEET_URL", "RUNFLEET_API_KEY"];
  expect(set.filter((name) => !variableNames.includes(name) && !ofTest.includes(name))).toEqual([]);
  const programs = [...templates.matchAll(/dist\/[\w/-]+\.js/g)].map(([path]) => path);
  expect(programs.length).toBeGreaterThan(2);
  expect(programs.filter((path) => !existsSync(path))).toEqual([]);
});

test("a variable that the templates set can't be set by env once more", () => {
  const set = ["api", "workers"].flatMap((name) =>
    [...read(`templates/${name}.yaml`).matchAll(/\{ name: ([A-Z][A-Z_]+), value/g)].map(
      ([, variable = ""]) => variable,
    ),
  );
  const [, validate = ""] = read("templates/_helpers.tpl").split('define "runfleet.validate"');
  const refused = [...validate.matchAll(/"([A-Z][A-Z_]+)" "(?:the|slots|expected)/g)].map(
    ([, variable = ""]) => variable,
  );
  expect(refused.toSorted()).toEqual([...new Set(set)].toSorted());
  expect(validate).toMatch(/if hasKey \$env \$name -\}\}\n\{\{- fail/);
});

test("packages of agents are bounded by the volume that they are installed in", () => {
  const [, cut = "", part = ""] =
    /max \(sub \$bytes (\d+)\) \(div \$bytes (\d)\)/.exec(read("templates/_helpers.tpl")) ?? [];
  const workers = read("templates/workers.yaml");
  expect(workers).toContain('"ENVIRONMENTS_MAX_BYTES" (include "runfleet.packagesBytes" $pool.packagesSize)');
  const { packagesSize } = (parse(read("values.yaml")) as { workers: { defaults: { packagesSize: string } } }).workers
    .defaults;
  const bytes = Number(/^(\d+)Gi$/.exec(packagesSize)?.[1]) * 1024 ** 3;
  // One set of packages, and what unpacks it, is written beside those that are kept.
  expect(bytes - Math.max(bytes - Number(cut), bytes / Number(part))).toBeGreaterThanOrEqual(3 * 1024 ** 3);
});

test("helm test is named, and its key asked of a store, only where the API knows that key", () => {
  const { secrets, test: of } = parse(read("values.yaml")) as {
    secrets: { api: string[] };
    test: { secretKey: string };
  };
  expect(secrets.api).not.toContain(of.secretKey);
  const onlyThen =
    /if or \(ne \.Values\.test\.secretKey "BOOTSTRAP_ADMIN_KEY"\) \(has "BOOTSTRAP_ADMIN_KEY" \.Values\.secrets\.api\)([^]*?)\{\{-? end/;
  for (const [template, used] of [
    ["NOTES.txt", "helm test"],
    ["secrets.yaml", ".Values.test.secretKey | uniq"],
  ] as const) {
    const text = read(join("templates", template));
    expect([template, onlyThen.exec(text)?.[1]]).toEqual([template, expect.stringContaining(used)]);
    expect(text.replace(onlyThen, "")).not.toMatch(/helm test|\.Values\.test\.secretKey/);
  }
});

test("packages are installed where no other user could exchange them: an emptyDir has no sticky bit of its own", () => {
  const workers = read("templates/workers.yaml");
  const [init = ""] = /initContainers:[^]*?\n      containers:/.exec(workers) ?? [];
  expect(init).toMatch(/args: \[chmod, "1777", (\S+)\]/);
  expect(init).toContain("{ name: packages, mountPath: /var/tmp }");
  expect(init).toMatch(/runAsUser: 0\n +runAsNonRoot: false\n +\{\{- include "runfleet.containerSecurity"/);
  expect(workers).toContain("{ name: packages, emptyDir:");
});

test("a pool that is of level 1 by intent wakes nobody: the chart's alert goes by the level that its pools must prove", () => {
  const [, given = ""] = /replace "([^"]+)" \(printf/.exec(read("templates/monitoring.yaml")) ?? [];
  const { expr } = readAlerts().find(({ alert }) => alert === "RunfleetSandboxWeak") ?? {};
  expect(given).toBe(expr);
  expect(read("files/alerts.yaml").split(given)).toHaveLength(2);
});

test("files of the operator's, such as a certificate authority, are in every part", () => {
  for (const name of ["api", "workers", "migrate"]) {
    const text = read(`templates/${name}.yaml`);
    expect([name, text.includes("- { name: files, mountPath: /etc/runfleet, readOnly: true }")]).toEqual([name, true]);
    expect([name, text.includes("- { name: files, configMap: { name: {{ . }} } }")]).toEqual([name, true]);
  }
});

test("workers reach no private address, and no metadata of a cloud", () => {
  const internet = templates.slice(templates.indexOf('define "runfleet.internet"'));
  // One list of both kinds would take any address of version 4 for a mapped one.
  const blocked = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const [, list = ""] of internet.matchAll(/except: \[([^\]]+)\]/g))
    for (const range of list.split(",")) {
      const [address = "", bits = ""] = range.trim().replaceAll('"', "").split("/");
      const kind = isIPv6(address) ? "ipv6" : "ipv4";
      blocked[kind].addSubnet(address, Number(bits), kind);
    }
  const private4 = [
    "169.254.169.254",
    "10.0.0.1",
    "172.31.255.1",
    "192.168.1.1",
    "100.100.100.200",
    "127.0.0.1",
    "192.0.0.192",
  ];
  const private6 = ["::1", "::", "fd00:ec2::254", "fe80::a9fe:a9fe", "64:ff9b::a9fe:a9fe"];
  expect(private4.filter((address) => !blocked.ipv4.check(address, "ipv4"))).toEqual([]);
  expect(private6.filter((address) => !blocked.ipv6.check(address, "ipv6"))).toEqual([]);
  expect([blocked.ipv4.check("1.1.1.1", "ipv4"), blocked.ipv6.check("2606:4700::1111", "ipv6")]).toEqual([
    false,
    false,
  ]);
});

test("only workers may do what a sandbox needs, and no pod may gain rights", () => {
  for (const name of readdirSync(join(chart, "templates")).filter(
    (each) => each !== "workers.yaml" && each.endsWith(".yaml"),
  ))
    expect([name, /Unmasked|Unconfined|runAsUser: 0|add: \[/.test(read(join("templates", name)))]).toEqual([
      name,
      false,
    ]);
  expect(templates).not.toMatch(/privileged: true|allowPrivilegeEscalation: true|hostNetwork|hostPID|hostPath/);
  expect(existsSync("deploy/seccomp-worker.json")).toBe(true);
});

const stack = await useTestStack();

test("helm test's program publishes an agent of each language, answers its question and sees its result; without a worker it fails", async () => {
  const { url, worker } = await stack.startMembers();
  const run = (env: Record<string, string>) =>
    promisify(execFile)(process.execPath, ["--input-type=module", "--eval", read("files/run-an-agent.mjs")], { env });
  const env = { RUNFLEET_URL: url, RUNFLEET_API_KEY: "rf_unused" };
  expect((await run(env)).stdout).toMatch(/of python asked, was answered and succeeded[^]*of node asked, was answered/);
  const { rows } = await stack.sql.query("SELECT 1 FROM agents");
  expect(rows).toEqual([]);
  await worker.stop();
  // An API knows of a worker's leaving a little later.
  await waitFor(async () => (await fetch(`${url}/health/ready`)).status === 503);
  await expect(run(env)).rejects.toThrow(/no_worker|503/);
});
