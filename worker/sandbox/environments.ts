import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, lstatSync, mkdirSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { mergeStreams } from "../channel/merge-streams.ts";
import type { Python } from "./sandbox.ts";

/** A directory of installed packages, or why there is none. Its log comes line by line while it is built. */
export type Build = { log: AsyncIterable<string>; done: Promise<{ directory: string } | { fault: string }> };

/** Installed packages, by what was asked for: each set is built once per machine and kept. */
export type Environments = {
  /** The directory of a set that stands; null when it has to be built. */
  find(requirements: readonly string[]): string | null;
  /** Builds a set. Aborting ends it, unless another run waits for it too. */
  build(requirements: readonly string[], signal: AbortSignal): Build;
};

type EnvironmentsOptions = {
  python: Python;
  /** Holds the sets; only this user may write to it. Made when missing. */
  directory: string;
  /** The installer's own settings: PIP_… and UV_… variables, PATH. */
  env: Record<string, string>;
};

/** PEP 508's name with what may follow it; no option, path, URL or direct reference, which could bring code of any kind. */
const requirement = /^[A-Za-z0-9][A-Za-z0-9._-]*(\[[A-Za-z0-9._, -]*\])?[^@/\\:]*$/;

/**
 * Environments are built by `uv` where the worker has one, else by Python's own pip, from wheels only: installing one runs
 * no code of its author's, which would run outside of a sandbox.
 */
export function openEnvironments({ python, directory, env }: EnvironmentsOptions): Environments {
  const building = new Map<string, Promise<{ directory: string } | { fault: string }>>();
  const placeOf = (requirements: readonly string[]): string => {
    const key = JSON.stringify([python.path, python.version, process.arch, requirements.toSorted()]);
    return join(directory, createHash("sha256").update(key).digest("hex").slice(0, 32));
  };

  return {
    find(requirements) {
      const place = placeOf(requirements);
      return existsSync(place) ? place : null;
    },
    build(requirements, signal) {
      const odd = requirements.find((one) => !requirement.test(one));
      if (odd !== undefined) return refused(`'${odd}' is no requirement like 'name' or 'name>=1.2'.`);
      const place = placeOf(requirements);
      const other = building.get(place);
      if (other) return { log: lines(["another run is installing the same requirements"]), done: other };
      const secured = secure(directory);
      if (secured) return refused(secured);
      const installing = install({ python, env, requirements, place, signal });
      const done = installing.done.finally(() => building.delete(place));
      building.set(place, done);
      return { log: installing.log, done };
    },
  };
}

/** Of the installer's last words, for the error. */
const keptLines = 20;

type Installing = {
  python: Python;
  env: Record<string, string>;
  requirements: readonly string[];
  place: string;
  signal: AbortSignal;
};

function install({ python, env, requirements, place, signal }: Installing): Build {
  const target = `${place}.${process.pid}`;
  const common = ["--target", target, "--only-binary", ":all:", ...requirements];
  const uv = findUv(env);
  const [file, args] = uv
    ? [uv, ["pip", "install", "--python", python.path, ...common]]
    : [
        python.path,
        ["-I", "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--no-compile", ...common],
      ];
  const child = spawn(file, args, { env, cwd: "/", stdio: ["ignore", "pipe", "pipe"], signal, killSignal: "SIGKILL" });
  const tail: string[] = [];
  const log = readLines(child, tail);
  const done = finish(child, tail).then(async (fault) => {
    if (fault === null)
      await rename(target, place).catch(() => existsSync(place) || Promise.reject(new Error("rename")));
    await rm(target, { recursive: true, force: true });
    return fault === null ? { directory: place } : { fault };
  });
  return { log, done };
}

/** Null: it is installed. */
function finish(child: ChildProcess, tail: readonly string[]): Promise<string | null> {
  return new Promise((resolve) => {
    child.once("error", (error) => resolve(`The installer could not be run: ${error.message}.`));
    child.once("close", (code) => resolve(code === 0 ? null : tail.join("\n") || `The installer exited with ${code}.`));
  });
}

/** What it says, line by line; the last ones are kept for the error. */
async function* readLines(child: ChildProcess, tail: string[]): AsyncGenerator<string> {
  const streams = [child.stdout, child.stderr].flatMap((stream) =>
    stream ? [createInterface({ input: stream })] : [],
  );
  for await (const line of mergeStreams(streams)) {
    if (!line.trim()) continue;
    tail.push(line);
    if (tail.length > keptLines) tail.shift();
    yield line;
  }
}

function findUv({ PATH = "" }: Record<string, string>): string | null {
  const candidates = PATH.split(":").map((directory) => join(directory, "uv"));
  return candidates.find((path) => path.startsWith("/") && existsSync(path)) ?? null;
}

/** Others could plant code in a directory that they can write to. Makes it, or answers what is wrong with it. */
export function secure(directory: string): string | null {
  mkdirSync(directory, { recursive: true });
  const found = lstatSync(directory);
  if (!found.isDirectory() || found.uid !== process.getuid?.()) return `${directory} belongs to somebody else.`;
  chmodSync(directory, 0o755);
  return null;
}

function refused(fault: string): Build {
  return { log: lines([]), done: Promise.resolve({ fault }) };
}

async function* lines(all: string[]): AsyncGenerator<string> {
  yield* all;
}
