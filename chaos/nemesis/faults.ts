import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import type { Random } from "../random.ts";
import type { BreakableService } from "../stack/breakable-service.ts";
import type { Member } from "../stack/member.ts";
import type { ChaosStack } from "../stack/open-stack.ts";

/** `per10000`: how often the fault happens in ten thousand runs. `on`: what it breaks. Nothing is broken twice at a time. */
export type Fault = { per10000: number } & (
  | { on: "worker" | "api"; strike(member: Member, random: Random, leaseMs: number): Promise<void> }
  | { on: "redis"; strike(stack: ChaosStack, random: Random): Promise<void> }
  | { on: "postgres"; strike(stack: ChaosStack, random: Random): Promise<void> }
);

const workerPause: Fault = {
  on: "worker",
  per10000: 110,
  /** Longer than the lease: other workers take the runs, and the paused worker wakes believing that it still has them. */
  async strike(member, random, leaseMs) {
    member.signal("SIGSTOP");
    await sleep(leaseMs * (1.2 + random.next()));
    member.signal("SIGCONT");
    await sleep(500);
  },
};

const redisKill: Fault = {
  on: "redis",
  per10000: 22,
  async strike({ redis }, random) {
    await redis.end("SIGKILL");
    await sleep(random.below(2_000));
    await redis.restart();
  },
};

const redisFlush: Fault = {
  on: "redis",
  per10000: 10,
  async strike({ redis: { url } }) {
    const redis = new Redis(url);
    await redis.flushall().finally(() => redis.disconnect());
  },
};

const faults = {
  worker_kill: { on: "worker", per10000: 330, strike: (member) => end(member, "SIGKILL") },
  worker_pause: workerPause,
  worker_term: { on: "worker", per10000: 60, strike: (member) => end(member, "SIGTERM") },
  api_kill: { on: "api", per10000: 24, strike: (member) => end(member, "SIGKILL") },
  api_term: { on: "api", per10000: 12, strike: (member) => end(member, "SIGTERM") },
  redis_kill: redisKill,
  redis_flush: redisFlush,
  redis_freeze: { on: "redis", per10000: 10, strike: ({ redis }, random) => freeze(redis, random) },
  postgres_fast: { on: "postgres", per10000: 7, strike: ({ postgres }, random) => restart(postgres, "SIGINT", random) },
  postgres_immediate: {
    on: "postgres",
    per10000: 7,
    strike: ({ postgres }, random) => restart(postgres, "SIGQUIT", random),
  },
  postgres_freeze: { on: "postgres", per10000: 8, strike: ({ postgres }, random) => freeze(postgres, random) },
} satisfies { [name: string]: Fault };

export type FaultName = keyof typeof faults;

/** The faults that the nemesis knows, by name. */
export const faultsByName: Readonly<Record<FaultName, Fault>> = faults;

async function end(member: Member, signal: "SIGKILL" | "SIGTERM"): Promise<void> {
  member.signal(signal);
  await member.gone();
  await member.ready();
}

async function freeze(service: BreakableService, random: Random): Promise<void> {
  service.freeze();
  await sleep(1_000 + random.below(7_000));
  service.thaw();
}

/** At SIGINT Postgres cuts connections and writes a last checkpoint. SIGQUIT is like a crash. */
async function restart(postgres: BreakableService, signal: "SIGINT" | "SIGQUIT", random: Random): Promise<void> {
  await postgres.end(signal);
  await sleep(random.below(1_500));
  await postgres.restart();
}
