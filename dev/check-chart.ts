import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { errorText } from "../shared/platform/error-text.ts";

/**
 * Checks the chart without a cluster: Helm's linter, each set of values of deploy/chart/ci, and every object that they make
 * against the schema of its kind, where no property may be unknown. Needs helm.
 */
const chart = "deploy/chart";
/** The oldest and the newest Kubernetes that the chart is made for. */
const versions = ["1.30.0", "1.35.0"];

type KubernetesObject = { apiVersion: string; kind: string; metadata: { name: string } };
/** Throws for an object that its kind's schema refuses. */
type Kind = new (object: unknown) => { validate(): void };

const packages: [group: RegExp, name: string][] = [
  [/^keda\.sh\//, "@kubernetes-models/keda"],
  [/^monitoring\.coreos\.com\//, "@kubernetes-models/prometheus-operator"],
  [/^/, "kubernetes-models"],
];

/** Returns the schema of an object's kind; null for kinds that no package describes. */
async function kindOf({ apiVersion, kind }: KubernetesObject): Promise<Kind | null> {
  if (apiVersion.startsWith("external-secrets.io/")) return null;
  const [, name = ""] = packages.find(([group]) => group.test(apiVersion)) ?? [];
  const kinds = (await import(`${name}/${apiVersion}`)) as Record<string, Kind | undefined>;
  const found = kinds[kind];
  if (!found) throw new Error(`${name} has no ${apiVersion} ${kind}.`);
  return found;
}

/** Objects that a validator looks into. */
type Seen = Map<object, { keys: Set<string>; isMap: boolean }>;

/** Returns a view of `value` that notes which properties are asked for. A validator asks for those that it knows. */
function watch(value: unknown, seen: Seen, views: Map<object, object>): unknown {
  if (typeof value !== "object" || value === null) return value;
  const known = views.get(value);
  if (known) return known;
  const noted = { keys: new Set<string>(), isMap: false };
  const view = new Proxy(value, {
    get(target, key) {
      if (typeof key === "string") {
        if (!seen.has(target)) seen.set(target, noted);
        noted.keys.add(key);
      }
      return watch(Reflect.get(target, key), seen, views);
    },
    // A map, whose names are free.
    ownKeys(target) {
      noted.isMap = true;
      return Reflect.ownKeys(target);
    },
  });
  views.set(value, view);
  return view;
}

/** Returns the places of properties that no schema knows. */
function unknownIn(value: unknown, seen: Seen, at: string): string[] {
  if (typeof value !== "object" || value === null) return [];
  const noted = seen.get(value);
  return Object.entries(value).flatMap(([key, inner]) => {
    const place = `${at}/${key}`;
    const isKnown = Array.isArray(value) || !noted || noted.isMap || noted.keys.has(key);
    return isKnown ? unknownIn(inner, seen, place) : [place];
  });
}

async function faultsOf(object: KubernetesObject): Promise<string[]> {
  const kind = await kindOf(object);
  if (!kind) return [];
  const seen: Seen = new Map();
  const wrong: string[] = [];
  const made = new kind(object);
  try {
    (watch(made, seen, new Map()) as typeof made).validate();
  } catch (error) {
    wrong.push(errorText(error));
  }
  return [...wrong, ...unknownIn(made, seen, "").map((place) => `${place} is unknown`)].map(
    (fault) => `${object.kind} ${object.metadata.name}: ${fault}`,
  );
}

function helm(...args: string[]): { ok: boolean; text: string } {
  const { status, error, stdout, stderr } = spawnSync("helm", args, { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  if (error) throw new Error(`helm can't be started (${error.message}). See https://helm.sh/docs/intro/install/.`);
  return { ok: status === 0, text: status === 0 ? stdout : stdout + stderr };
}

/** What must be found, or the check itself is broken. */
async function checkTheCheck(): Promise<string[]> {
  const misspelt = {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "planted", labels: { any: "name" } },
    spec: { maxUnavailble: 1, selector: { matchLabels: { any: "name" } } },
  };
  const found = await faultsOf(misspelt);
  return found.length === 1 && found[0]?.includes("maxUnavailble")
    ? []
    : [`A planted fault was not found: ${String(found)}`];
}

/** Values that must be refused, with a word of the reason. */
const refused: [values: string[], because: string][] = [
  [[], "secrets.existing"],
  [["secrets.existing=s"], "networkPolicy.postgres.to"],
  [["workers.pools.default.slot=1"], "slot"],
  [["workers.pools.default.slots=many"], "slots"],
  [["workers.pools.default.sandbox.profile=none"], "profile"],
  [["workers.pools.default.sandbox.profile=runtimeclass"], "runtimeClassName"],
  [["workers.pools.default.env.SANDBOX_MIN_LEVEL=0"], "SANDBOX_MIN_LEVEL"],
  [["env.WORKER_SLOTS=8"], "slots"],
  [["api.env.PORT=80"], "PORT"],
  [
    ["workers.pools.default.autoscaling.enabled=true", "workers.pools.default.autoscaling.minReplicas=0"],
    "expectedAdapters",
  ],
  [["env.DATABASE_URL=postgresql://x"], "DATABASE_URL"],
  [["secrets.worker={DATABASE_URL,STRIPE_SECRET_KEY}"], "worker"],
  [["secrets.external.enabled=true"], "store"],
];

function checkRefusals(): string[] {
  const complete = [
    "secrets.existing=s",
    "networkPolicy.postgres.to[0].ipBlock.cidr=10.0.0.1/32",
    "networkPolicy.redis.to[0].ipBlock.cidr=10.0.0.2/32",
  ];
  return refused.flatMap(([values, because]) => {
    const given =
      because === "networkPolicy.postgres.to" || because === "secrets.existing" ? values : [...complete, ...values];
    const { ok, text } = helm("template", "r", chart, ...given.flatMap((value) => ["--set", value]));
    return ok || !text.includes(because) ? [`Not refused for ${because}: ${values.join(", ")}`] : [];
  });
}

async function checkValues(name: string): Promise<string[]> {
  const file = join(chart, "ci", name);
  const linted = helm("lint", "--strict", chart, "--values", file);
  if (!linted.ok) return [linted.text];
  const faults = await Promise.all(
    versions.map(async (version) => {
      const made = helm("template", "release", chart, "--values", file, "--kube-version", version);
      if (!made.ok) return [made.text];
      const objects = parseAllDocuments(made.text).flatMap((document) => {
        const object = document.toJS() as KubernetesObject | null;
        return object ? [object] : [];
      });
      const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
      const twice = names.filter((each, nth) => names.indexOf(each) !== nth).map((each) => `${each} is made twice`);
      console.log(`${name}: ${objects.length} objects for Kubernetes ${version}`);
      return [...twice, ...(await Promise.all(objects.map(faultsOf))).flat()];
    }),
  );
  return faults.flat().map((fault) => `${name}: ${fault}`);
}

const sets = readdirSync(join(chart, "ci"));
const faults = [...(await checkTheCheck()), ...checkRefusals(), ...(await Promise.all(sets.map(checkValues))).flat()];
for (const fault of faults) console.error(fault);
console.log(faults.length === 0 ? "The chart has no faults." : `${faults.length} faults.`);
process.exitCode = faults.length === 0 ? 0 : 1;
