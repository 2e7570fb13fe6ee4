import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { openDecoys, type Decoys } from "./canary-targets.ts";
import type { Python, Sandbox } from "./sandbox.ts";
import type { SandboxProcess } from "./process.ts";

const MiB = 1024 * 1024;
const resources = { memory_bytes: 96 * MiB, processes: 16, disk_bytes: MiB, cpu_ms: 10_000 };
const answerMs = 5_000;
/** How long a killed tree may take to let go of its pipes. */
const deathMs = 500;

/**
 * Attacks a sandbox from inside, all attempts at once, and answers the names of those that it did not hold; [] proves the
 * level. Level 0 claims limits and kills only, so only these are tried there. A sandbox that doesn't run code at all fails
 * as `starts: …`.
 */
export async function runCanaries(sandbox: Sandbox, python: Python): Promise<string[]> {
  const source = readFileSync(new URL("./canary.py", import.meta.url), "utf8");
  const decoys = await openDecoys();
  const start = async (attempt: string) => {
    const child = await sandbox.start({
      argv: [python.path, "-I", "-S", "-c", source],
      env: {},
      readOnly: [],
      resources,
    });
    const { secret, unix, tcp, udp, outside, decoy, abstract, mark } = decoys;
    child.stdin.end(JSON.stringify({ attempt, ...resources, secret, unix, tcp, udp, outside, decoy, abstract, mark }));
    return child;
  };
  try {
    const attempts = [
      start("limits").then(readAnswers),
      start("forks").then(readForks),
      start("survive").then(killDetached),
      ...(sandbox.report.level > 0 ? [start("reach").then((child) => readReach(child, decoys))] : []),
    ];
    return (await Promise.all(attempts)).flat();
  } catch (error) {
    return [`starts: ${error instanceof Error ? error.message : String(error)}`];
  } finally {
    await decoys.close();
  }
}

async function readReach(child: SandboxProcess, decoys: Decoys): Promise<string[]> {
  const failures = await readAnswers(child);
  return decoys.isUntouched() ? failures : [...failures, "decoys"];
}

/** Where the kernel can't count a sandbox's own processes, one that has too many is ended. */
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
  const killedAt = performance.now();
  // The detached process holds this pipe: it ends when nothing of the tree is left.
  const released = new Promise<boolean>((resolve) => {
    child.stdout
      .once("end", () => resolve(true))
      .once("close", () => resolve(false))
      .resume();
    setTimeout(resolve, deathMs, false).unref();
  });
  child.kill();
  const died = await released;
  return died && performance.now() - killedAt < deathMs ? [] : ["survives_kill"];
}

/** Null when the stream ends, or `answerMs` pass, without one. */
async function firstLine(stream: NodeJS.ReadableStream): Promise<string | null> {
  const lines = createInterface({ input: stream });
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, answerMs, null);
    lines.once("line", (line) => resolve(line)).once("close", () => resolve(null));
    stream.once("error", () => resolve(null));
    lines.once("line", () => clearTimeout(timer)).once("close", () => clearTimeout(timer));
  });
}
