import { claimDaemons } from "../../shared/store/daemons/claim-daemons.ts";
import { connectSubscriber } from "../../shared/platform/stream/connection.ts";
import { daemonsChannel } from "../../shared/platform/stream/keys.ts";
import { superviseDaemon, type Supervisor, type SupervisorDeps } from "./supervise-daemon.ts";
import { logFaults } from "../../shared/platform/log.ts";

export type WorkerDaemons = {
  /** Claims daemons without an owner, up to this worker's limit. */
  claim(): Promise<void>;
  /** Claims no further daemons and gives up all, each after its current message, or after `graceMs`. Never rejects. */
  drain(graceMs: number): Promise<void>;
};

/**
 * The daemons that this worker owns. A change of a daemon is published to all workers: the owner checks the daemon, the
 * others try to claim it.
 */
export function openWorkerDaemons(ctx: SupervisorDeps): WorkerDaemons {
  const { config, db, log } = ctx;
  const owned = new Map<string, Supervisor>();
  let claiming: Promise<void> | null = null;
  let leaving = false;

  async function claimSome(): Promise<void> {
    const limit = config.daemons.perWorker - owned.size;
    if (leaving || limit <= 0) return;
    const hosts = [...ctx.daemonHosts.keys()];
    const { leaseMs, pool } = config.worker;
    const options = { worker_id: ctx.workerId, pool, leaseMs, limit, hosts };
    for (const daemon of await claimDaemons(db, options)) {
      const supervisor = superviseDaemon(ctx, daemon);
      owned.set(daemon.agent_id, supervisor);
      void supervisor.over.then(() => {
        if (owned.get(daemon.agent_id) === supervisor) owned.delete(daemon.agent_id);
      });
    }
  }
  function claim(): Promise<void> {
    claiming ??= claimSome().finally(() => (claiming = null));
    return claiming;
  }
  function onMessage(message: string): void {
    const [word, agentId = ""] = message.split(" ");
    const supervisor = owned.get(agentId);
    if (word === "mail") supervisor?.checkMailbox();
    else if (supervisor) supervisor.check();
    else void claim().catch(() => undefined);
  }

  const redis = connectSubscriber(config.redis.url, logFaults(log, "daemons"));
  redis.subscribe(daemonsChannel(config.redis.prefix)).catch(() => undefined);
  redis.on("message", (_channel, message: string) => onMessage(message));

  return {
    claim,
    async drain(graceMs) {
      leaving = true;
      redis.disconnect();
      await claiming?.catch(() => undefined);
      const given = [...owned];
      await Promise.all(given.map(([, supervisor]) => supervisor.drain(graceMs)));
      await Promise.allSettled(given.map(([agentId]) => ctx.streams.signalDaemons("look", agentId)));
    },
  };
}
