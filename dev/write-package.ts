import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { transformSync } from "esbuild";
import { projectFolder } from "./reachable.ts";

/**
 * `npm run package` writes the npm package `runfleet` to dist/package: the TypeScript SDK, its React hooks, the types of what an
 * agent in Node imports, tests of agents, and the command line with its templates. The service is no part of it, nor are the service's dependencies.
 */
const root = projectFolder();
const target = join(root, "dist/package");
type Root = Record<"version" | "description" | "license" | "engines", unknown> & {
  dependencies: Record<string, string>;
};
const { version, description, license, engines, dependencies } = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8"),
) as Root;

/** The service's packages that the copied programs import as well. */
const imported = new Set<string>();

/** Copies a folder of dist/, of which the programs and, with `types`, their declarations are published. */
function copyBuilt(folder: string, { types }: { types: boolean }): void {
  const ending = types ? /\.(js|d\.ts)$/ : /\.js$/;
  const names = readdirSync(join(root, "dist", folder), { recursive: true, encoding: "utf8" });
  for (const name of names.filter((one) => ending.test(one) && isBuilt(folder, one))) {
    const text = readFileSync(join(root, "dist", folder, name), "utf8");
    for (const [, specifier = ""] of text.matchAll(/\b(?:from |import\()"([^."][^"]*)"/g))
      if (Object.hasOwn(dependencies, specifier)) imported.add(specifier);
    const path = join(target, folder, name);
    mkdirSync(dirname(path), { recursive: true });
    // Comments of programs stay here.
    const published = name.endsWith(".js") ? transformSync(text, { target: "es2023" }).code : text;
    // Declarations name our sources, which are not published; neither are source maps.
    writeFileSync(
      path,
      published
        .replaceAll(/(?<=["'])(\.{1,2}\/[^"']+)\.ts(?=["'])/g, "$1.js")
        .replace(/^\/\/# sourceMappingURL=.*\n?/m, ""),
    );
  }
}

/** False for what was built of a source that is gone. */
const isBuilt = (folder: string, name: string): boolean =>
  existsSync(join(root, folder, name.replace(/(\.d\.ts|\.js)$/, ".ts")));

rmSync(target, { recursive: true, force: true });
copyBuilt("sdk/ts", { types: true });
copyBuilt("cli", { types: false });
copyBuilt("cli/rehearse", { types: true });
const manifest = {
  name: "runfleet",
  version,
  description,
  license,
  type: "module",
  sideEffects: false,
  bin: { runfleet: "cli/main.js" },
  exports: {
    ".": { types: "./sdk/ts/index.d.ts", default: "./sdk/ts/index.js" },
    "./react": { types: "./sdk/ts/react.d.ts", default: "./sdk/ts/react.js" },
    "./agent": { types: "./agent.d.ts" },
    "./testing": { types: "./cli/rehearse/testing.d.ts", default: "./cli/rehearse/testing.js" },
    "./runfleet.schema.json": "./runfleet.schema.json",
    "./package.json": "./package.json",
  },
  engines,
  dependencies: Object.fromEntries([...imported].toSorted().map((name) => [name, dependencies[name]])),
  peerDependencies: { react: ">=18" },
  peerDependenciesMeta: { react: { optional: true } },
};
writeFileSync(join(target, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
cpSync(join(root, "runtime/node/runfleet.d.ts"), join(target, "agent.d.ts"));
/** What a test of an agent has no use for: builds, daemons, and processes that are kept warm. */
const onlyOfWorkers =
  /\/(build|own-source-map|daemon|session|pid_1|template|run_directories|kernel|load_ahead)\.(py|mjs)$/;
// Tests of agents execute them as a worker does.
for (const part of ["runtime/node", "runtime/python/_runfleet"])
  cpSync(join(root, part), join(target, part), {
    recursive: true,
    filter: (path) => !/\.d\.ts$|tsconfig|__pycache__/.test(path) && !onlyOfWorkers.test(path),
  });
// The templates of `runfleet init`.
cpSync(join(root, "examples"), join(target, "examples"), {
  recursive: true,
  filter: (path) => !/node_modules|__pycache__/.test(path.slice(root.length)),
});
cpSync(join(root, "docs/runfleet.schema.json"), join(target, "runfleet.schema.json"));
cpSync(join(root, "sdk/ts/README.md"), join(target, "README.md"));
cpSync(join(root, "LICENSE"), join(target, "LICENSE"));
console.log("dist/package is written. To try it elsewhere: npm pack ./dist/package");
