import { existsSync, readFileSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { Fault } from "./exit-codes.ts";
import { readFile } from "./file-fault.ts";
import { escapeRule } from "./ignore-rules.ts";
import { readRequirements } from "./read-requirements.ts";
import type { Project } from "./settings.ts";

type Described = Record<string, unknown> & { graphs?: unknown; dependencies?: unknown; env?: unknown };

/** What langgraph.json may say and Runfleet does otherwise, or not. */
const carriedOver = new Set(["$schema", "graphs", "dependencies", "env"]);

/** Returns the agents of a folder's langgraph.json: one for each graph. Throws Fault. */
export function readLanggraph(folder: string): Project[] {
  const path = join(folder, "langgraph.json");
  const described = parse(path);
  const { graphs } = described;
  if (typeof graphs !== "object" || graphs === null) throw new Fault("usage", `${path} names no graphs.`);
  const { env, secrets, file } = readEnv(folder, described.env);
  const notes = [
    ...Object.keys(described)
      .filter((key) => !carriedOver.has(key))
      .map((key) => `langgraph.json: '${key}' isn't carried over.`),
    ...(secrets.length > 0
      ? [`${file} isn't sent. Its variables are secrets: runfleet secrets set ${secrets[0]}`]
      : []),
  ];
  return Object.entries(graphs).map(([agent, graph]) => {
    const entrypoint = entrypointOf(agent, graph);
    const isPython = /\.py(:|$)/.test(entrypoint);
    const requirements = isPython ? requirementsOf(folder, described.dependencies) : [];
    const config = {
      ...(requirements.length > 0 ? { requirements } : {}),
      ...(Object.keys(env).length > 0 ? { env } : {}),
      ...(secrets.length > 0 ? { secrets } : {}),
    };
    return { agent, entrypoint, config, notes, ignore: file === "" ? [] : [ruleOf(folder, file)] };
  });
}

function parse(path: string): Described {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Described;
  } catch (error) {
    throw new Fault("usage", `${path} is no JSON: ${String(error)}`);
  }
}

/** A graph is `./path.py:name`, or an object with that as `path`. */
function entrypointOf(agent: string, graph: unknown): string {
  const path = typeof graph === "object" && graph !== null ? (graph as { path?: unknown }).path : graph;
  if (typeof path !== "string")
    throw new Fault("usage", `langgraph.json: graphs.${agent} is not like "./agent.py:graph".`);
  return path.replace(/^\.\//, "");
}

/** `dependencies` are folders of the project, with requirements of their own, or packages. */
function requirementsOf(folder: string, dependencies: unknown): string[] {
  const named = Array.isArray(dependencies) ? dependencies.filter((one) => typeof one === "string") : [];
  const all = named.flatMap((one) => {
    const place = join(folder, one);
    const isFolder = one.startsWith(".") || (existsSync(place) && statSync(place).isDirectory());
    return isFolder ? (readRequirements(place) ?? []) : [one];
  });
  return [...new Set(all)];
}

/** Returns the rule of .gitignore that names a file and no other. */
function ruleOf(folder: string, file: string): string {
  const path = relative(folder, join(folder, file)).split(sep).join("/");
  return `/${escapeRule(path)}`;
}

/** `env` has variables, or names a file of them, which may be secret. */
function readEnv(folder: string, env: unknown): { env: Record<string, string>; secrets: string[]; file: string } {
  if (typeof env === "string") {
    const path = join(folder, env);
    if (!existsSync(path)) throw new Fault("usage", `langgraph.json: env names '${env}', which isn't there.`);
    const names = [
      ...readFile(path)
        .toString()
        .matchAll(/^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=/gm),
    ];
    return { env: {}, secrets: [...new Set(names.map(([, name = ""]) => name))], file: env };
  }
  const given = typeof env === "object" && env !== null && !Array.isArray(env) ? Object.entries(env) : [];
  return { env: Object.fromEntries(given.map(([name, value]) => [name, String(value)])), secrets: [], file: "" };
}
