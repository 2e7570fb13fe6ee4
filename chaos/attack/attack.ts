/** Who runs the program: an adapter, or a process that stays. */
export type Kind =
  | "python"
  | "node"
  | "command"
  | "python daemon"
  | "node daemon"
  | "python interactive"
  | "node interactive";

/**
 * How a run came to its end, as far as its caller can tell.
 * - `refused`: with the result `[]`. The program lists what worked, and nothing did. - `succeeded`: any other result.
 * - `raised`: an error of the program's own. - `exited`: without a word. - `timeout`: at its deadline, by us.
 * - `output`: it said more than a run may. - `unavailable`: it never began.
 * - the others: as the run's `exit` says.
 */
export type Ending =
  | "refused"
  | "succeeded"
  | "raised"
  | "exited"
  | "timeout"
  | "output"
  | "unavailable"
  | "cpu"
  | "memory"
  | "processes"
  | "disk"
  | "breach"
  | "killed";

/** `probe`: an honest run, which tells how it finds its sandbox. `wait`: nothing, for as long as idle code is watched. */
export type Step = "probe" | "attack" | "wait";

export type Attack = {
  name: string;
  /** Of the findings that it is like, or `held`. */
  class: string;
  kind: Kind;
  mode: "standard" | "isolated" | "full";
  /** The file's text. What it means is in `agents/`. */
  program: string;
  /** Those that are right for its `attack`. */
  ends: readonly Ending[];
  steps: readonly Step[];
  /** Where it makes sense. */
  levels: readonly number[];
  timeoutMs: number;
  /** The processor time that the program is sure to use, in all of its runs together. */
  burnsMs: number;
  /** True: that time is counted by a cgroup only, and promised where there are cgroups. */
  needsCgroup: boolean;
  /** Bytes of input that each run brings. */
  inputBytes: number;
  cpuMs: number;
  /** False for code that no honest run comes through. */
  isHonestOtherwise: boolean;
};

/** A row of a table of attacks: what isn't said is usual. */
export type AttackRow = Pick<Attack, "name" | "class" | "program" | "ends"> &
  Partial<Omit<Attack, "kind">> & { also?: readonly ("isolated" | "full")[] };

const usual = {
  mode: "standard",
  steps: ["probe", "attack", "probe", "probe"],
  levels: [3, 2],
  timeoutMs: 1_000,
  burnsMs: 0,
  needsCgroup: false,
  inputBytes: 0,
  cpuMs: 10_000,
  isHonestOtherwise: true,
} as const satisfies Partial<Attack>;

/** A table's attacks. `also`: other modes in which the same is tried. */
export function attacksOf(kind: Kind, rows: readonly AttackRow[]): Attack[] {
  return rows.flatMap(({ also = [], ...row }) =>
    [row.mode ?? usual.mode, ...also].map((mode) => ({ ...usual, ...row, kind, mode })),
  );
}
