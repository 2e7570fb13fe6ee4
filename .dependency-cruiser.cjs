/**
 * Who may import whom. Each rule's comment is its sentence; test/architecture/rules-bite.test.ts breaks each of them once.
 * Paths are relative to the root; type-only imports count. The parser is swc: dependency-cruiser can't read TypeScript 7,
 * and without a parser it finds 0 modules and passes.
 */

const { Compiler } = require("@swc/core");
const { value: parse } = Object.getOwnPropertyDescriptor(Compiler.prototype, "parseFileSync");
/** dependency-cruiser doesn't tell swc which files have JSX. */
Compiler.prototype.parseFileSync = function parseFileSync(path, options) {
  return parse.call(this, path, { ...options, tsx: path.endsWith(".tsx") });
};

/** A door: the packages or core modules `to` may be imported from `doors` only (and from tests, benches and the chaos harness). */
const door = (name, comment, to, doors) => ({
  name,
  comment,
  severity: "error",
  from: { pathNot: [...doors, "^(test|bench|chaos)/", "\\.config\\.ts$"] },
  to,
});
const wall = (name, comment, from, to) => ({ name, comment, severity: "error", from, to });
const packages = (...names) => ({ path: `node_modules/(@types/)?(${names.join("|")})/` });
const core = (...names) => ({ dependencyTypes: ["core"], path: `^(node:)?(${names.join("|")})$` });

const production = "^((shared|api|worker|gateway)/|prisma/(deploy|reseal))";
const generated = "^shared/store/generated/";
const mains =
  "^((api|cli|worker|gateway)/main|worker/keeper|console/(main|build|styles.d|public/theme)|api/write-openapi|sdk/write-sdk|sdk/ts/(index|react)|cli/rehearse/testing|(dev|prisma)/[^/]+)\\.(tsx?|m?js)$|^shared/platform/(json-schema/schema|source-check/source)-thread\\.mjs$";
/** Read as text, and run in the sandbox. */
const insiders = "^runtime/node/[^/]+\\.mjs$";

module.exports = {
  forbidden: [
    // ── folders ──
    wall(
      "shared-imports-nothing-of-ours",
      "shared/ is what both sides must agree on; it knows neither.",
      { path: "^shared/" },
      { path: "^(api|worker|gateway|prisma|dev|test|bench|chaos)/" },
    ),
    wall(
      "gateway-imports-shared-only",
      "The gateway reads what strangers send. It knows no store.",
      { path: "^gateway/" },
      { path: "^(api|worker|prisma)/" },
    ),
    wall(
      "api-and-worker-never-meet",
      "The API doesn't know how an agent is executed, the worker doesn't know HTTP routes, and the gateway is a process that the worker starts. What two of them need is in shared/.",
      { path: "^(api|worker|gateway)/" },
      { path: "^(api|worker|gateway)/", pathNot: "^$1/" },
    ),
    wall(
      "prisma-is-for-deploy",
      "prisma/ makes tables and clients before anything runs; a running process knows the generated client only.",
      { path: "^(api|worker|gateway)/" },
      { path: "^prisma/" },
    ),
    wall(
      "dev-starts-processes",
      "The dev launcher starts the API and the workers as processes, as production does; it imports neither.",
      { path: "^dev/" },
      { path: "^(api|worker|gateway)/" },
    ),
    wall(
      "cli-knows-the-wire-only",
      "The command line is a client as any other: it knows the service's HTTP API and nothing of its sources.",
      { path: "^cli/" },
      { path: "^(shared|api|console|worker|gateway|prisma|dev|test|bench|chaos)/" },
    ),
    wall(
      "sdk-knows-the-document-only",
      "The SDKs are made from docs/openapi.json and know nothing of the service's sources, nor of its command line.",
      { path: "^sdk/" },
      { path: "^(shared|api|cli|console|worker|gateway|prisma|dev|test|bench|chaos)/" },
    ),
    wall(
      "sdk-runs-anywhere",
      "The TypeScript SDK runs in browsers too: it knows no module of Node.",
      { path: "^sdk/ts/" },
      { dependencyTypes: ["core"] },
    ),
    wall("nothing-needs-sdk", "The service runs without its clients.", { path: production }, { path: "^sdk/" }),
    wall(
      "console-knows-the-sdk-only",
      "The console is a page in a browser: it knows the service by the TypeScript SDK alone, and no module of Node.",
      { path: "^console/.*\\.tsx?$" },
      {
        path: "^(shared|api|cli|worker|gateway|prisma|dev|test|bench|chaos)/|^sdk/(?!ts/)|^(node:)?(fs|path|crypto|http|https|net|url|child_process|stream)(/|$)",
      },
    ),
    wall(
      "a-screen-stands-alone",
      "A folder of console/ is an area. What two areas show lies in console/ui, console/form or console/run-view, and what they ask in console/data.",
      { path: "^console/([^/]+)/" },
      { path: "^console/[^/]+/", pathNot: "^console/($1|ui|form|run-view|data)/" },
    ),
    wall("nothing-needs-console", "The service runs without its console.", { path: production }, { path: "^console/" }),
    wall("nothing-needs-cli", "The service runs without its command line.", { path: production }, { path: "^cli/" }),
    wall("nothing-needs-dev", "Production runs without the dev launcher.", { path: production }, { path: "^dev/" }),
    wall(
      "no-dep-on-test",
      "Tests, benches and the chaos harness may import anything; nothing imports them.",
      { path: "^(shared|api|worker|gateway|prisma|dev)/" },
      { path: "^(test|bench|chaos)/" },
    ),
    wall(
      "schemas-are-pure",
      "What is on the wire, and what is decided, needs no I/O: these files import only each other, zod and cron-parser.",
      {
        path: "^(shared/(schemas|domain)/|worker/(channel/|attempt/(decide-|attempt-result))|api/stream/(encode-sse\\.ts$|projections/))",
      },
      {
        pathNot: [
          "^shared/(schemas|domain)/",
          "^worker/(channel/|attempt/(decide-|attempt-result)|lease/abort-reason\\.ts$)",
          "^api/stream/(encode-sse\\.ts$|projections/)",
          "node_modules/(zod|cron-parser)/",
        ],
      },
    ),
    wall(
      "config-is-a-leaf",
      "The configuration knows the environment and nothing of what it configures.",
      { path: "^shared/platform/config/" },
      { path: "^(shared|api|worker)/", pathNot: "^shared/(platform/config|schemas|domain)/" },
    ),
    wall(
      "platform-knows-no-act",
      "shared/platform is technology: it knows what is on the wire and the rules, and neither a statement nor an act.",
      { path: "^shared/platform/" },
      { path: "^shared/(store|services)/" },
    ),
    wall(
      "store-knows-no-act",
      "shared/store holds statements. What the API and the worker both do with them is in shared/services.",
      { path: "^shared/store/" },
      { path: "^shared/services/" },
    ),
    wall(
      "an-area-stands-alone",
      "A folder of api/ is an area. What two areas need moves to shared/, api/http or api/stream.",
      { path: "^api/([^/]+)/" },
      { path: "^api/[^/]+/", pathNot: "^api/($1|http|stream)/" },
    ),
    wall(
      "a-protocol-stands-alone",
      "A folder of api/protocols/ is a protocol. What two protocols need lies beside the folders.",
      { path: "^api/protocols/([^/]+)/" },
      { path: "^api/protocols/[^/]+/", pathNot: "^api/protocols/$1/" },
    ),
    wall(
      "http-and-stream-know-no-area",
      "What every area uses depends on none of them.",
      { path: "^api/(http|stream)/" },
      { path: "^api/[^/]+/", pathNot: "^api/(http|stream)/" },
    ),
    wall(
      "stages-meet-in-the-story",
      "A folder of worker/ is a stage. worker/attempt, worker/builds, worker/fleet, worker/daemons and worker/interactive join stages; any other stage knows only the interface of another one, worker/warm and how folders are made.",
      { path: "^worker/([^/]+)/", pathNot: "^worker/(attempt|builds|fleet|daemons|interactive)/" },
      {
        path: "^worker/[^/]+/",
        pathNot: [
          "^worker/($1|channel|warm)/",
          "^worker/(attempt/attempt|adapters/(adapter|read-process)|gateway/egress|journal/read-replay-state|environments/(environments|make-owned-folder)|sandbox/(sandbox|process|warm-sandbox|owner-tag|container-engine|find-python)|lease/abort-reason)\\.ts$",
        ],
      },
    ),

    // ── doors ──
    door("express-lives-in-http", "Only the HTTP shell knows Express.", packages("express"), [
      "^api/(http/|app\\.ts$|main\\.ts$|stream/(sse-writer|sse-ping|respond-sse|write-sse)\\.ts$)",
    ]),
    door(
      "bullmq-has-two-doors",
      "Jobs are made in shared/platform/queue and taken in worker/fleet/consume.ts.",
      packages("bullmq"),
      ["^(shared/platform/queue/|worker/fleet/consume\\.ts$)"],
    ),
    door(
      "traces-leave-by-one-file",
      "OpenTelemetry is loaded where spans are sent, and only by a process that sends some.",
      packages("@opentelemetry/[^/]+"),
      ["^shared/platform/tracing/open-tracing\\.ts$"],
    ),
    door("redis-has-few-doors", "Redis is the nudge and the live view, behind named files.", packages("ioredis"), [
      "^(shared/platform/(queue|stream)/|(api|worker)/context\\.ts$|api/stream/(tail-hub|run-channels)\\.ts$|api/http/rate-limit\\.ts$)",
    ]),
    door(
      "sql-lives-in-store",
      "Only shared/store talks to Postgres (and what makes its tables).",
      { path: ["node_modules/(@types/pg|@prisma|prisma|pg)/", generated] },
      ["^((shared/store|prisma)/|dev/database-roles\\.ts$)"],
    ),
    door(
      "processes-start-in-the-sandbox",
      "Agent code runs in a sandbox. Besides it, only the gateway, the dev launcher, the command line that starts it, tries an agent on its author's machine or opens a page, the build scripts and programs inside of a sandbox start processes.",
      core("child_process", "cluster"),
      [
        "^worker/(sandbox|gateway)/",
        "^dev/",
        "^cli/(start-stack|open-page|rehearse/agent-process)\\.ts$",
        "^prisma/[^/]+\\.mjs$",
        insiders,
      ],
    ),
    door(
      "network-goes-through-the-guard",
      "Outgoing requests go through shared/platform/net, which checks the address. (`fetch` is a lint rule.)",
      { path: [packages("undici").path, "^(node:)?(https?|http2|dns|dns/promises)$"] },
      [
        "^shared/platform/net/",
        "^gateway/",
        "^dev/",
        "^cli/key-by-browser\\.ts$",
        "^api/(http/|main\\.ts$|app\\.ts$|stream/(sse-writer|sse-ping|respond-sse|write-sse)\\.ts$)",
        "^worker/metrics/",
      ],
    ),

    // ── everywhere ──
    wall(
      "no-cycles",
      "Of two files, one comes first. Type-only cycles count.",
      { pathNot: generated },
      { circular: true },
    ),
    wall("no-unresolvable", "An import leads to a file.", {}, { couldNotResolve: true }),
    wall(
      "no-orphans",
      "A file that nothing imports, and that imports nothing, is left over.",
      { orphan: true, pathNot: ["\\.d\\.ts$", "\\.config\\.ts$", mains, "^(test|bench|chaos)/"] },
      {},
    ),
    wall(
      "reachable-from-a-main",
      "What no process reaches is dead, whatever its tests say.",
      { path: mains },
      { path: "^(shared|api|worker|gateway)/", pathNot: [mains, generated, insiders], reachable: false },
    ),
    wall(
      "no-dev-dep-in-production",
      "Production installs without devDependencies.",
      { path: production },
      { dependencyTypes: ["npm-dev"], pathNot: "node_modules/@types/" },
    ),
    wall(
      "dependencies-are-declared",
      "What is imported is in package.json.",
      {},
      { dependencyTypes: ["npm-no-pkg", "npm-unknown"] },
    ),
  ],
  options: {
    parser: "swc",
    tsPreCompilationDeps: true,
    doNotFollow: { path: ["node_modules", generated] },
    // A peer's program has packages of its own, which are installed when it is measured.
    exclude: { path: ["^dist/", "^bench/peers/[^/]+/"] },
    enhancedResolveOptions: {
      extensions: [".ts", ".tsx", ".mjs", ".js", ".json"],
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "require", "types"],
    },
  },
};
