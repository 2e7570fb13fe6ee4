// Builds an agent's code in a sandbox of its own: installs its packages and bundles its modules. Runs nothing of the code.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { writeFiles } from "./context.mjs";
import { keepOwnSources } from "./own-source-map.mjs";

/** @import { BuildRequest } from "./types.d.ts" */

/** What the author is to be told. */
class BuildFault extends Error {}

const script = /\.[mc]?[jt]sx?$/;
const mostOutput = 16 * 1024 * 1024;

/** @param {string} text */
const say = (text) => void process.stderr.write(text.endsWith("\n") ? text : `${text}\n`);

/** @param {string} path */
const readIfThere = (path) => (existsSync(path) ? readFileSync(path, "utf8") : null);

/**
 * Installs what package.json names, as the lock has it where there is one. Returns the lock.
 * @param {BuildRequest} request
 */
function installPackages({ npm, npm_env }) {
  const text = readIfThere("package.json");
  if (text === null) return null;
  /** @type {Record<string, unknown>} */
  let manifest;
  try {
    manifest = JSON.parse(text);
  } catch (error) {
    throw new BuildFault(`package.json is no JSON: ${String(error)}`);
  }
  const wanted = ["dependencies", "optionalDependencies"].flatMap((key) => Object.keys(manifest[key] ?? {}));
  if (wanted.length === 0) return null;
  if (npm === null) throw new BuildFault("This worker has no npm, so it can't install what package.json names.");
  const isLocked = existsSync("package-lock.json") || existsSync("npm-shrinkwrap.json");
  const options = ["--ignore-scripts", "--omit=dev", "--no-audit", "--no-fund", "--no-progress", "--color=false"];
  const patience = ["--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=2000"];
  const { status } = spawnSync(process.execPath, [npm, isLocked ? "ci" : "install", ...options, ...patience], {
    stdio: ["ignore", 2, 2],
    env: { ...process.env, ...npm_env, npm_config_update_notifier: "false", npm_config_cache: join(tmp, "npm") },
  });
  if (status !== 0) throw new BuildFault("npm could not install the packages of package.json");
  return readIfThere("package-lock.json") ?? readIfThere("npm-shrinkwrap.json");
}

const tmp = process.env["TMPDIR"] ?? "/tmp";

/** A package that looks for its addon at run time fails there, with words about a missing file. Many can do without it. */
function warnOfAddons() {
  if (!existsSync("node_modules")) return;
  const manifests = readdirSync("node_modules", { recursive: true, encoding: "utf8" });
  const addon = manifests.find((path) => path.endsWith("/binding.gyp") || path.endsWith(".node"));
  if (addon === undefined) return;
  say(
    `warning: ${packageOf(`node_modules/${addon}`)} has a native addon, which isn't part of the bundle. What needs it fails.`,
  );
}

/**
 * Returns the author's own scripts.
 * @param {Record<string, string>} files
 */
const ownScripts = (files) =>
  Object.keys(files).filter((name) => script.test(name) && !name.split("/").includes("node_modules"));

const commonJs = /** @type {const} */ ([
  ["__filename", "file"],
  ["__dirname", "dir"],
]);

/**
 * Returns those of CommonJS' names that a module uses and doesn't bind itself. esbuild knows: it defines no name that is bound.
 * @param {string} name
 * @param {string} text
 * @param {string} esbuild
 */
function unboundNames(name, text, esbuild) {
  const used = commonJs.filter(([variable]) => text.includes(variable));
  if (used.length === 0) return [];
  const defines = used.map(([variable]) => `--define:${variable}=__runfleet_unbound${variable}`);
  const argv = [`./${name}`, "--loader:.js=jsx", "--log-level=silent", ...defines];
  const { stdout } = spawnSync(esbuild, argv, { encoding: "utf8", maxBuffer: Infinity });
  return used.filter(([variable]) => stdout?.includes(`__runfleet_unbound${variable}`));
}

/**
 * Bundling puts all modules into one file. So what a module says of its own place is replaced by a variable, which the bundle
 * sets first. Returns the code that sets them.
 * @param {string[]} names
 * @param {string} entry
 * @param {string} esbuild
 */
function keepPlaces(names, entry, esbuild) {
  const up = dirname(entry) === "." ? "" : "../".repeat(dirname(entry).split("/").length);
  return names
    .map((name, at) => {
      const text = readFileSync(name, "utf8");
      let placed = text
        .replaceAll("import.meta.url", `__runfleet_url_${at}`)
        .replaceAll("import.meta.filename", `__runfleet_file_${at}`)
        .replaceAll("import.meta.dirname", `__runfleet_dir_${at}`);
      const declared = unboundNames(name, text, esbuild)
        .map(([variable, kind]) => `const ${variable}=__runfleet_${kind}_${at};`)
        .join("");
      placed = placed.replace(/^(#!.*\n)?/, (first) => first + declared);
      if (placed === text) return "";
      writeFileSync(name, placed);
      const url = `new URL(${JSON.stringify(up + name)}, import.meta.url)`;
      const file = `decodeURIComponent(${url}.pathname)`;
      return `globalThis.__runfleet_url_${at}=${url}.href;globalThis.__runfleet_file_${at}=${file};globalThis.__runfleet_dir_${at}=${file}.replace(/\\/[^/]*$/,"");`;
    })
    .join("");
}

const unresolved = /Could not resolve "([^"]+)"[\s\S]*?\n\n {4}(\S+):\d+:\d+:/g;

/**
 * Bundles the entry's modules. Returns what esbuild said, or throws it. A package that another package can do without is left
 * to be looked for at the run.
 * @param {BuildRequest} request
 * @param {{ entry: string, out: string, banner: string, injected: string[] }} places
 */
function bundle({ esbuild }, { entry, out, banner, injected }) {
  const major = process.versions.node.split(".")[0];
  const fixed = [
    ...[entry, "--bundle", "--platform=node", "--format=esm", `--target=node${major}`, `--outfile=${out}`],
    ...["--sourcemap=external", "--sources-content=false", "--legal-comments=none", "--loader:.js=jsx"],
    ...["--color=false", "--log-level=warning", "--log-limit=20", "--external:runfleet", `--banner:js=${banner}`],
    ...injected,
  ];
  /** @type {Set<string>} */
  const absent = new Set();
  for (;;) {
    const external = [...absent].map((name) => `--external:${name}`);
    const { status, stderr, error } = spawnSync(esbuild, [...fixed, ...external], { encoding: "utf8" });
    if (error) throw new BuildFault(`esbuild could not be started: ${error.message}`);
    if (status === 0) return void (stderr.trim() && say(stderr));
    const found = [...stderr.matchAll(unresolved)].filter(([, , from]) => from?.includes("node_modules/"));
    const more = found.flatMap(([, name]) => (name && !absent.has(name) ? [name] : []));
    const others = [...stderr.matchAll(/\[ERROR\]/g)].length;
    if (more.length === 0 || found.length < others) throw new BuildFault(explain(stderr));
    for (const name of more) absent.add(name);
  }
}

/** @param {string} stderr */
function explain(stderr) {
  const text = stderr
    .replaceAll(/__runfleet_url_\d+/g, "import.meta.url")
    .trim()
    .slice(0, 8_000);
  const addon = /No loader is configured for "\.node" files: (\S+)/.exec(text)?.[1];
  if (addon !== undefined)
    return `${packageOf(addon)} has a native addon (${basename(addon)}), and native addons don't run in a sandbox. Take a package without one.`;
  const name = /Could not resolve "([^."/][^"]*)"/.exec(text)?.[1];
  const cure = name === undefined ? "" : `\nIs '${name}' a package? Name it in the "dependencies" of package.json.`;
  return `The code could not be bundled.\n${text}${cure}`;
}

/**
 * Returns the name of the package that a file belongs to.
 * @param {string} path
 */
const packageOf = (path) => {
  const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];
  return name === undefined ? "The code" : `The package '${name}'`;
};

/** esbuild leaves out what the option would add, and says nothing. */
function warnOfMetadata() {
  if (/"emitDecoratorMetadata"\s*:\s*true/.test(readIfThere("tsconfig.json") ?? ""))
    say("warning: tsconfig.json's emitDecoratorMetadata has no effect: Reflect.getMetadata finds no design:type.");
}

/** How a graph's checkpoints become text: LangGraph's own serializer, with the bundle's own classes. */
const serializerSource = `import { JsonPlusSerializer } from "@langchain/langgraph-checkpoint";
globalThis[Symbol.for("runfleet.serializer")] = new JsonPlusSerializer();
`;

/** Returns what the bundle is given besides the author's code. */
function addSerializer() {
  if (!existsSync("node_modules/@langchain/langgraph-checkpoint/package.json")) return [];
  const file = freeName("serializer.mjs");
  writeFileSync(file, serializerSource);
  return [`--inject:./${file}`];
}

/** @param {string} path */
const freeName = (path) => {
  const stem = path.replace(script, "");
  const taken = new Set(readdirSync(dirname(path)));
  for (let at = 0; ; at += 1) {
    const name = `${stem}.bundle${at || ""}.mjs`;
    if (!taken.has(basename(name))) return name;
  }
};

/** @param {BuildRequest} request */
function build(request) {
  const [entry = "", name] = request.entrypoint.split(":");
  writeFiles(request.files);
  const lock = installPackages(request);
  warnOfAddons();
  warnOfMetadata();
  const banner = `import{createRequire as __runfleet_require}from"node:module";globalThis.require=__runfleet_require(import.meta.url);${keepPlaces(ownScripts(request.files), entry, request.esbuild)}`;
  const out = freeName(entry);
  bundle(request, {
    entry,
    out,
    injected: addSerializer(),
    banner: `${banner}globalThis.__filename=decodeURIComponent(new URL(import.meta.url).pathname);globalThis.__dirname=globalThis.__filename.replace(/\\/[^/]*$/,"");`,
  });
  const map = keepOwnSources(readFileSync(`${out}.map`, "utf8"));
  const code = `${readFileSync(out, "utf8")}\n//# sourceMappingURL=${basename(out)}.map\n`;
  const bytes = code.length + map.length;
  if (bytes > mostOutput) throw new BuildFault(`The bundle has ${bytes} bytes, and at most ${mostOutput} are allowed.`);
  say(`bundled ${entry}: ${Math.ceil(code.length / 1024)} KiB`);
  return { entrypoint: name ? `${out}:${name}` : out, files: { [out]: code, [`${out}.map`]: map }, lock };
}

/** @type {BuildRequest} */
const request = JSON.parse(readFileSync(0, "utf8"));
let answer;
try {
  answer = build(request);
} catch (error) {
  answer = { error: error instanceof Error ? error.message : String(error) };
}
process.stdout.write(JSON.stringify(answer));
