import { relative, sep } from "node:path";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { keyPattern } from "./layout.ts";
import type { Leases } from "./leases.ts";

type Started = { exited: Promise<unknown> };

/** Returns the sandbox, which then leases each environment of `directory` that it shows until its process has ended. */
export function withLeases<S extends Sandbox>(sandbox: S, leases: Leases, directory: string): S {
  async function start<T extends Started>(readOnly: readonly string[], begin: () => Promise<T>): Promise<T> {
    const keys = readOnly
      .map((path) => relative(directory, path).split(sep)[0] ?? "")
      .filter((key) => keyPattern.test(key));
    const releases = keys.map((key) => leases.hold(key));
    const release = (): void => {
      for (const one of releases) one();
    };
    try {
      const started = await begin();
      void started.exited.then(release);
      return started;
    } catch (error) {
      release();
      throw error;
    }
  }
  const { startWarm } = sandbox;
  return {
    ...sandbox,
    start: (command) => start(command.readOnly, () => sandbox.start(command)),
    startWarm: startWarm && ((command) => start(command.readOnly, () => startWarm(command))),
  };
}
