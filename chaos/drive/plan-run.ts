import type { Random } from "../random.ts";
import type { AgentName } from "./agents.ts";

/** A run that a client will request. */
export type PlannedRun = {
  run_id: string;
  agent: AgentName;
  token: string;
  n: number;
  pause: number;
  thread_id: string | null;
  callback: boolean;
  /** A second reader joins the run from its beginning. */
  watched: boolean;
};

const threads = 40;

/** Plans one run of the mix: half are instant, others send output for a while, in steps or without, some fail, some share a thread. */
export function planRun(seed: number, index: number, random: Random): PlannedRun {
  const place = random.next();
  return {
    run_id: `chaos-${seed}-${index}`,
    agent: agentAt(place),
    token: `${seed}.${index}.${random.below(1e9)}`,
    n: 1 + random.below(20),
    pause: 0.01 + random.next() * 0.1,
    thread_id: random.chance(0.12) ? `chaos-${seed}-thread-${random.below(threads)}` : null,
    callback: random.chance(0.3),
    watched: random.chance(0.15),
  };
}

function agentAt(place: number): AgentName {
  if (place < 0.5) return "instant";
  if (place < 0.72) return "chatty";
  return place < 0.92 ? "durable" : "failing";
}
