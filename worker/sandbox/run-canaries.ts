import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { type CanaryTargets, openCanaryTargets } from "./canary-targets.ts";
import type { Python, Sandbox } from "./sandbox.ts";
import type { SandboxProcess } from "./process.ts";
import { errorText } from "../../shared/platform/error-text.ts";

const MiB = 1024 * 1024;
const resources = { memory_bytes: 96 * MiB, processes: 16, disk_bytes: MiB, cpu_ms: 10_000 };
/** On a busy machine four interpreters take seconds to start. A level must not be lost to that. */
const answerMs = 20_000;
/** What a kill leaves alive holds its pipes for a minute. That a tree dies is proven here, not how soon: a busy machine takes seconds. */
const deathMs = 5_000;

/**
 * Attacks a sandbox from inside, with all attempts at once. Returns the names of attempts that succeeded; [] proves the level.
 * Level 0 promises limits and kills only, so only these are tried there. For a sandbox that doesn't run code at all, returns
 * `starts: …`.
 */
export async function runCanaries(sandbox: Sandbox, python: Python): Promise<string[]> {
  const source = readFileSync(new URL("./canary.py", import.meta.url), "utf8");
  const targets = await openCanaryTargets();
  const start = async (attempt: string) => {
    const child = await sandbox.start({
      argv: [python.path, "-I", "-S", "-c", source],
      env: {},
      readOnly: [],
      resources,
    });
    const { secret, unix, tcp, udp, outside, bystander: decoy, abstract, mark } = targets;
    child.stdin.end(JSON.stringify({ attempt, ...resources, secret, unix, tcp, udp, outside, decoy, abstract, mark }));
    return child;
  };
  try {
    const attempts = [
      start("limits").then(readAnswers),
      start("forks").then(readForks),
      start("survive").then(killDetached),
      ...(sandbox.report.level > 0 ? [start("reach").then((child) => readReach(child, targets))] : []),
    ];
    return (await Promise.all(attempts)).flat();
  } catch (error) {
    return [`starts: ${errorText(error)}`];
  } finally {
    await targets.close();
  }
}

async function readReach(child: SandboxProcess, targets: CanaryTargets): Promise<string[]> {
  const failures = await readAnswers(child);
  return targets.isUntouched() ? failures : [...failures, "targets"];
}

/** Where the kernel can't limit a sandbox's own processes, a sandbox with too many is ended. */
async function readForks(child: SandboxProcess): Promise<string[]> {
  const failures = await readAnswers(child);
  return failures.length > 0 && (await child.exited).limit === "processes" ? [] : failures;
}

async function readAnswers(child: SandboxProcess): Promise<string[]> {
  const complaint = firstLine(child.stderr);
  const line = await firstLine(child.events);
  child.kill();
  if (line === null) return [`starts: ${(await complaint) ?? "no answer"}`];
  return Object.entries(JSON.parse(line)).flatMap(([name, held]) => (held === true ? [] : [name]));
}

async function killDetached(child: SandboxProcess): Promise<string[]> {
  const complaint = firstLine(child.stderr);
  const ready = await firstLine(child.events);
  if (ready === null) return [`starts: ${(await complaint) ?? "no answer"}`];
  // The detached process holds this pipe: it ends when nothing of the tree is left.
  const released = new Promise<boolean>((resolve) => {
    child.stdout
      .once("end", () => resolve(true))
      .once("close", () => resolve(false))
      .resume();
    setTimeout(resolve, deathMs, false).unref();
  });
  child.kill();
  return (await released) ? [] : ["survives_kill"];
}

/** Returns the first line; null when the stream ends without one, or after `answerMs`. */
async function firstLine(stream: NodeJS.ReadableStream): Promise<string | null> {
  const lines = createInterface({ input: stream });
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, answerMs, null);
    lines.once("line", (line) => resolve(line)).once("close", () => resolve(null));
    stream.once("error", () => resolve(null));
    lines.once("line", () => clearTimeout(timer)).once("close", () => clearTimeout(timer));
  });
}
