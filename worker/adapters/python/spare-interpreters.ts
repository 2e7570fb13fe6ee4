import type { ResidentCommand } from "../../sandbox/resident.ts";
import type { Interpreter } from "./interpreter.ts";

export type Resources = ResidentCommand["resources"];

/** What an interpreter is started with: a spare has no packages. */
export type Ground = { resources: Resources; packages: string | null };

/** Interpreters that stand ready for whichever version comes, and belong to none yet. */
export type SpareInterpreters = {
  /** A spare where one fits, else a new one. Rejects with `SandboxUnavailable`. */
  take(ground: Ground): Promise<Interpreter>;
  close(): void;
};

const count = 2;

/** `usual` are the resources that most versions have. */
export function keepSpares(open: (ground: Ground) => Promise<Interpreter>, usual: Resources): SpareInterpreters {
  const spares = new Set<Promise<Interpreter>>();
  let closed = false;

  function refill(): void {
    while (!closed && spares.size < count) {
      const spare = open({ resources: usual, packages: null });
      spares.add(spare);
      // A machine that gives no sandbox says so to the run that needs one.
      spare.catch(() => spares.delete(spare));
    }
  }

  refill();
  return {
    async take(ground) {
      const [spare] = ground.packages === null && isLike(ground.resources, usual) ? spares : [];
      if (!spare) return open(ground);
      spares.delete(spare);
      // Not before this run has what it needs.
      setImmediate(refill);
      return spare.catch(() => open(ground));
    },
    close() {
      closed = true;
      for (const spare of spares) void spare.then((interpreter) => interpreter.kill()).catch(() => undefined);
      spares.clear();
    },
  };
}

function isLike(one: Resources, other: Resources): boolean {
  return (["memory_bytes", "processes", "disk_bytes"] as const).every((name) => one[name] === other[name]);
}
