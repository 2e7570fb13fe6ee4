/** What runs the program: an adapter, a daemon's process, or a thread's. */
export type Kind =
  | "python"
  | "node"
  | "command"
  | "python daemon"
  | "node daemon"
  | "python interactive"
  | "node interactive";

/**
 * How a run ended, as far as its caller can tell.
 * - `refused`: with the result `[]`, as the program lists what worked, and nothing did. - `succeeded`: with any other result.
 * - `raised`: with the program's own error. - `exited`: without a result. - `timeout`: at the run's deadline.
 * - `output`: by the output limit. - `unavailable`: no sandbox could be started. - the others: as in the run's `exit`.
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

/** `probe`: an honest run, which reports the state of its sandbox. `wait`: no run, until idle code has been measured. */
export type Step = "probe" | "attack" | "wait";

export type Attack = {
  name: string;
  /** The class of findings that the attack belongs to, or `held`. */
  class: string;
  kind: Kind;
  mode: "standard" | "isolated" | "full";
  /** The program's text. The functions that it uses are in `agents/`. */
  program: string;
  /** The endings of the `attack` step that keep all promises. */
  ends: readonly Ending[];
  steps: readonly Step[];
  /** The levels that the attack is tried at. */
  levels: readonly number[];
  timeoutMs: number;
  /** The CPU time that the program certainly uses, in all of its runs together. */
  burnsMs: number;
  /** True when only a cgroup counts that time. It must then be billed only where there are cgroups. */
  needsCgroup: boolean;
  /** Bytes of input of each run. */
  inputBytes: number;
  cpuMs: number;
  /** False for code with which honest runs fail, too. */
  isHonestOtherwise: boolean;
};

/** A row of a table of attacks. Missing fields have the values of `defaults`. */
export type AttackRow = Pick<Attack, "name" | "class" | "program" | "ends"> &
  Partial<Omit<Attack, "kind">> & { also?: readonly ("isolated" | "full")[] };

const defaults = {
  mode: "standard",
  steps: ["probe", "attack", "probe", "probe"],
  levels: [3, 2],
  burnsMs: 0,
  needsCgroup: false,
  inputBytes: 0,
  cpuMs: 10_000,
  isHonestOtherwise: true,
} as const satisfies Partial<Attack>;

/** Runs that may not end by their time-out get more of it: how fast the machine is just now is not what is tried. */
const timeoutOf = ({ ends }: AttackRow): number => (ends.includes("timeout") ? 1_000 : 8_000);

/** Returns a table's attacks. `also`: other modes that a row's attack is tried in. */
export function attacksOf(kind: Kind, rows: readonly AttackRow[]): Attack[] {
  return rows.flatMap(({ also = [], ...row }) =>
    [row.mode ?? defaults.mode, ...also].map((mode) => ({
      ...defaults,
      timeoutMs: timeoutOf(row),
      ...row,
      kind,
      mode,
    })),
  );
}
