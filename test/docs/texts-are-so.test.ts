import { readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { loadDevConfig } from "../../dev/dev-config.ts";
import { variableNames } from "../../shared/platform/config/load-config.ts";
import {
  anchorsOf,
  type Document,
  listProject,
  localLinks,
  readDocument,
  readDocuments,
  resolveLink,
  root,
} from "./read-documents.ts";

const documents = readDocuments();
const project = listProject();
const everywhere = (document: Document): string =>
  [document.prose, ...document.blocks.map(({ code }) => code)].join("\n");

test("every path that a text names exists", () => {
  const faults = documents.flatMap((document) =>
    document.spans
      .filter((span) => isPath(span) && !readersOwn.includes(span) && !exists(span, document))
      .map((span) => `${document.path}: ${span}`),
  );
  expect(faults).toEqual([]);
});

test("every file that a comment names exists", () => {
  const comments = project
    .filter((file) =>
      /^(api|cli|console|gateway|runtime|sdk|shared|worker|dev|bench|chaos)\/(?!.*generated).*\.(ts|tsx|mjs|py)$/.test(
        file,
      ),
    )
    .flatMap((file) => commentsIn(readFileSync(join(root, file), "utf8")).map((text) => ({ file, text })));
  const named = comments.flatMap(({ file, text }) =>
    [...text.matchAll(/(?<![\w./*-])((?:[\w-]+\/)*[\w-]+\.(?:ts|tsx|mjs|py))\b/g)].map(([, name = ""]) => ({
      file,
      name,
    })),
  );
  expect(named.length).toBeGreaterThan(20);
  const isThere = (name: string) => project.some((one) => one === name || one.endsWith(`/${name}`));
  expect(named.filter(({ name }) => !isThere(name) && !ofAgents.includes(name))).toEqual([]);
});

/** A name that comments take for any file of an agent. */
const ofAgents = ["file.py"];
const commentsIn = (source: string): string[] => source.match(/\/\*\*[\s\S]*?\*\/|\/\/.*|#.*|"""[\s\S]*?"""/g) ?? [];

test("every program of dist/ that a text starts is built from a source", () => {
  const named = documents.flatMap((document) => everywhere(document).match(/\bdist\/[\w/-]+\.js\b/g) ?? []);
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter((path) => !project.includes(path.replace(/^dist\/(.*)\.js$/, "$1.ts")))).toEqual([]);
});

test("every npm script that a text names is in package.json", () => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  const named = documents.flatMap((document) =>
    [...everywhere(document).matchAll(/npm run ([a-z][\w:-]*)/g)].map(([, name = ""]) => name),
  );
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});

test("CONTRIBUTING lists the scripts that npm run check runs, in their order", () => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: { check: string } };
  const listed = [...readDocument("CONTRIBUTING.md").prose.matchAll(/^\| `(npm run [\w:]+)` /gm)].map(
    ([, name]) => name,
  );
  expect(listed).toEqual(scripts.check.split(" && "));
});

test("CONTRIBUTING lists every import rule with its own sentence, and no other", () => {
  const { forbidden } = createRequire(import.meta.url)("../../.dependency-cruiser.cjs") as {
    forbidden: { name: string; comment: string }[];
  };
  const listed = [...readDocument("CONTRIBUTING.md").prose.matchAll(/^- `([a-z-]+)`: (.+)$/gm)];
  expect(Object.fromEntries(listed.map(([, name, sentence]) => [name, sentence]))).toEqual(
    Object.fromEntries(forbidden.map(({ name, comment }) => [name, comment])),
  );
});

test("docs/configuration.md has every environment variable, and no text names one that isn't read", () => {
  const read = new Set([...variableNames, ...Object.keys(loadDevConfig({}))]);
  const { spans } = readDocument("docs/configuration.md");
  const said = spans.flatMap(namesOf);
  expect([...read].filter((name) => !said.includes(name) && !unsaid.includes(name))).toEqual([]);
  const named = documents.flatMap((document) => [
    ...document.spans.flatMap((span) => namesOf(span)),
    ...document.blocks.flatMap(({ code }) =>
      [...code.matchAll(/^(?:export )?([A-Z][A-Z_]+)=/gm)].map(([, name = ""]) => name),
    ),
  ]);
  const unread = named.filter((name) => !read.has(name.replace(/_FILE$/, "")) && !read.has(name));
  expect([...new Set(unread)].filter((name) => !foreign.test(name))).toEqual([]);
});

test("every link between the texts leads somewhere, to its heading too", () => {
  const anchors = new Map(documents.map((document) => [document.path, anchorsOf(document)]));
  const faults = documents.flatMap((document) =>
    localLinks(document)
      .filter((link) => {
        const { path, anchor } = resolveLink(document, link);
        if (!project.includes(path) && !project.includes(`${path}/`)) return true;
        return anchor !== "" && !anchors.get(path)?.has(anchor);
      })
      .map((link) => `${document.path}: ${link}`),
  );
  expect(faults).toEqual([]);
});

test("every block of JSON parses", () => {
  const blocks = documents.flatMap(({ blocks }) => blocks.filter(({ language }) => language === "json"));
  expect(blocks.filter(({ code }) => !isJson(code))).toEqual([]);
});

test("every route that a text names is in the OpenAPI document", () => {
  const { paths } = JSON.parse(readFileSync(join(root, "docs/openapi.json"), "utf8")) as {
    paths: Record<string, Record<string, unknown>>;
  };
  const routes = new Set(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${shape(path)}`),
    ),
  );
  const named = documents.flatMap((document) =>
    [...document.prose.matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/[^`?\s]*)/g)].map(
      ([, method = "", path = ""]) => [`${method.toLowerCase()} ${shape(path)}`, document.path] as const,
    ),
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter(([route]) => !routes.has(route))).toEqual([]);
});

/** Where metrics are made. */
const metricSources = [
  "api/system/metrics.ts",
  "api/system/maintenance-metrics.ts",
  "shared/store/postgres-pool-metrics.ts",
  "api/http/request-metrics.ts",
  "shared/platform/lifecycle/uncaught-error-metrics.ts",
  "worker/metrics/serve-metrics.ts",
  "worker/metrics/queue-waits.ts",
  "worker/metrics/stage-times.ts",
  "worker/metrics/worker-gauges.ts",
  "worker/metrics/worker-metrics.ts",
];

test("every metric that a text names is one that /metrics shows", () => {
  const named = documents.flatMap((document) =>
    document.spans.flatMap((span) => [...span.matchAll(/\brunfleet_(?!sdk\b)([a-z_]+)(?:\{\w+="(\w+)"\})?/g)]),
  );
  expect(named.length).toBeGreaterThan(1);
  const source = metricSources.map((path) => readFileSync(join(root, path), "utf8")).join("\n");
  const isShown = (name: string): boolean => new RegExp(`["\`](runfleet_)?${name}["\`]`).test(source);
  expect(named.filter(([, name = "", label = name]) => !isShown(name) || !isShown(label)).map(([all]) => all)).toEqual(
    [],
  );
});

test("no text tells of the machine that it was written on", () => {
  const told = /(?:^|[\s`"'(=])\/(?:root|home|workspace)\/\w|\bTODO\b|\bFIXME\b/;
  expect(documents.filter((document) => told.test(document.text)).map(({ path }) => path)).toEqual([]);
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test("the forms and the workflow of .github parse, and CI runs a script that is there", () => {
  const files = listProject(".github").filter((path) => path.endsWith(".yml"));
  const parsed = new Map(files.map((path) => [path, parse(readFileSync(join(root, path), "utf8")) as unknown]));
  const forms = [".github/ISSUE_TEMPLATE/bug.yml", ".github/ISSUE_TEMPLATE/idea.yml"];
  for (const form of forms)
    expect(parsed.get(form)).toMatchObject({ name: expect.any(String), body: expect.any(Array) });
  const { jobs } = parsed.get(".github/workflows/ci.yml") as { jobs: Record<string, { steps: { run?: string }[] }> };
  const commands = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
  expect(commands).toContain(".ci/run");
  expect(statSync(join(root, ".ci/run")).mode & 0o111).not.toBe(0);
});

/** What is set by the image or by the tests' own programs, and for nobody to choose. */
const unsaid = ["NODE_ENV", "PATH"];

/** Others' variables, capabilities, errors and message types, in the form of a variable. */
const foreign =
  /^(PIP_|NPM_CONFIG_|NODE_EXTRA_CA_CERTS$|SSL_CERT_FILE$|(REQUESTS|CURL|AWS)_CA_BUNDLE$|GIT_SSL_CAINFO$|RUNFLEET_|UV_|CAP_|HTTPS?_PROXY$|(OPENAI|ANTHROPIC|AZURE_OPENAI|GEMINI|GOOGLE|MISTRAL|OPENROUTER)_|WEBHOOK_URL$|POSTGRES_PASSWORD$|REDIS_PASSWORD$|ADMIN$|RUN_(ERROR|FINISHED)$|STATE_SNAPSHOT$|TEXT_MESSAGE_|TOOL_CALL_|ACCEPTED_)/;

/** Names like LEASE_MS, and single words where they are assigned: PORT=80. */
const namesOf = (span: string): string[] => [
  ...(span.match(/(?<![\w/.-])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+_?(?![\w/-])/g) ?? []),
  ...(span.match(/(?<![\w-])(?:HOST|PORT|WORKERS|PYTHON|BWRAP)(?![\w-])/g) ?? []),
];

const shape = (path: string): string => path.replaceAll(/\{\w+\}|<[^>]+>/g, "{}").replace(/(.)\/$/, "$1");

/** What a reader is told to write. */
const readersOwn = ["agent.py"];

/** The project's top folders; a path begins with one of them, or is a file's name. */
const tops = new Set(project.map((path) => path.split("/")[0]));
const sourceName = /^[\w.-]+\.(ts|mjs|cjs|py|pyi|prisma)$/;

function isPath(span: string): boolean {
  if (/\s|^[a-z]+:|^\//.test(span)) return false;
  if (sourceName.test(span)) return true;
  return span.includes("/") && (tops.has(span.split("/")[0] ?? "") || /\.(ts|mjs|py)$/.test(span));
}

/** A name of a file alone, or a path that begins in the text's own folder or its parent, is found by its end. */
function exists(span: string, document: Document): boolean {
  const path = span.replaceAll(/<\w+>/g, "*").replace(/^dist\/(.*)\.js$/, "$1.ts");
  const pattern = path
    .replaceAll(/[.+?^$()|[\]\\]/g, String.raw`\$&`)
    .replaceAll("{", "(")
    .replaceAll("}", ")")
    .replaceAll(",", "|")
    .replaceAll("*", "[^/]*");
  const whole = new RegExp(`^${pattern}/?$`);
  if (project.some((candidate) => whole.test(candidate))) return true;
  if (tops.has(span.split("/")[0] ?? "") && span.includes("/")) return false;
  const end = new RegExp(`(^|/)${pattern}/?$`);
  const folder = document.path.includes("/") ? (document.path.split("/")[0] ?? "") : "";
  return project.some((candidate) => end.test(candidate) && (folder === "docs" || candidate.startsWith(folder)));
}
