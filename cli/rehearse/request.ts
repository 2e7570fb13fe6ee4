type Given = {
  input: unknown;
  answers: readonly unknown[];
  /** What the journal has, as the agent's process is given it. */
  entries: readonly object[];
  waits?: readonly [branch: string, position: number, name: string][];
  tries?: readonly [key: string, number: number, at: number][];
  attempt?: number;
  /** Begins the keys of what is done since the run went on as a fresh one. */
  leg?: string;
  /** For runtime/'s rehearsal. */
  rehearsal: object;
};

/** Returns a run's request to an agent's process, as a worker makes it. */
export const requestOf = ({
  input,
  answers,
  entries,
  waits = [],
  tries = [],
  attempt = 1,
  leg = "",
  rehearsal,
}: Given) => ({
  run_id: "run_rehearsal",
  thread_id: null,
  agent_id: "agent_rehearsal",
  user_id: "rehearsal",
  version: "rehearsal",
  attempt,
  input_payload: input,
  answers,
  history: [],
  metadata: {},
  env: {},
  files: {},
  state_snapshot: "",
  journal: { entries, waits, tries, segments: [], leg, count: entries.length },
  rehearsal,
});
