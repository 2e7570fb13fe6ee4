import type { ChildProcess } from "node:child_process";

/** Resolves when the child has gone. */
export function gone(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => child.once("exit", () => resolve()));
}

/** Resolves when `ready` matches what the child writes; rejects with the end of it when the child ends before. */
export function readyWhen(child: ChildProcess, ready: RegExp, name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = "";
    const hear = (text: Buffer): void => {
      said = (said + text.toString()).slice(-4_000);
      if (ready.test(said)) resolve();
    };
    child.stdout?.on("data", hear);
    child.stderr?.on("data", hear);
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`${name} ended with code ${code}:\n${said}`)));
  });
}
