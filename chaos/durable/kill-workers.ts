import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Random } from "../random.ts";
import type { ChaosStack } from "../stack/open-stack.ts";

/** Kills workers under runs with steps. */
export type Killer = {
  /** From now on workers are killed at random: right after commits of entries, and at any moment. */
  start(): void;
  /** The worker of this run is killed right after the run's entry with this place is committed. */
  killAfter(run_id: string, place: number): void;
  /** Returns how many workers were killed: at a place, after some entry, at any moment. */
  kills(): { places: number; entries: number; moments: number };
  close(): Promise<void>;
};

/** `mostEntries`: a worker is killed after so many entries of all runs, at most. */
type Options = { stack: ChaosStack; sql: pg.Pool; random: Random; mostEntries: number };

/** One in so many of those kills is at any moment instead, this much later at most. */
const momentShare = 0.4;
const latestMs = 400;

/** The harness's own: says each commit of entries to who listens. */
const sayCommits = `
  CREATE FUNCTION say_entries() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_notify('entries', NEW.run_id || ' ' || NEW.last_place); RETURN NULL; END $$;
  CREATE TRIGGER say_entries AFTER INSERT OR UPDATE OF last_place ON run_journals
    FOR EACH ROW EXECUTE FUNCTION say_entries();`;

export async function openKiller({ stack, sql, random, mostEntries }: Options): Promise<Killer> {
  await sql.query(sayCommits);
  const listener = new pg.Client({ connectionString: stack.postgres.url });
  listener.on("error", () => undefined);
  await listener.connect();
  await listener.query("LISTEN entries");
  const places = new Map<string, number>();
  const kills = { places: 0, entries: 0, moments: 0 };
  const killing = new Set<Promise<unknown>>();
  const draw = (): number => 1 + random.below(mostEntries);
  let isStarted = false;
  let left = draw();

  /** Kills the worker that holds the run. Returns false when none does. */
  async function killHolderOf(run_id: string, cause: keyof typeof kills, afterMs: number): Promise<boolean> {
    if (afterMs > 0) await sleep(afterMs);
    const { rows } = await sql.query<{ worker_id: string }>(
      "SELECT worker_id FROM runs WHERE id = $1 AND status = 'running'",
      [run_id],
    );
    const worker = stack.workers.find((one) => one.workerId() !== null && one.workerId() === rows[0]?.worker_id);
    if (!worker?.isReady()) return false;
    const id = worker.workerId();
    const gone = worker.gone();
    worker.signal("SIGKILL");
    await gone;
    kills[cause] += 1;
    // What a dead worker held lapses at once. Its losses aren't counted: a run that was lost twice would be executed alone.
    await sql.query(
      `UPDATE runs SET lease_until = now(), lost_attempts = 0 WHERE id IN
         (SELECT id FROM runs WHERE status = 'running' AND worker_id = $1 ORDER BY id FOR UPDATE)`,
      [id],
    );
    return true;
  }
  function track(act: Promise<unknown>): void {
    killing.add(act);
    void act.finally(() => killing.delete(act));
  }

  listener.on("notification", ({ payload = "" }) => {
    const [run_id = "", place = ""] = payload.split(" ");
    const wanted = places.get(run_id);
    if (wanted !== undefined && Number(place) >= wanted) {
      places.delete(run_id);
      // What is committed while no worker holds the run ends none: the next entry does.
      return track(killHolderOf(run_id, "places", 0).then((killed) => killed || places.set(run_id, wanted)));
    }
    left -= 1;
    // At least two workers are up, so that the runs get on.
    if (!isStarted || left > 0 || stack.workers.filter((worker) => worker.isReady()).length < 3) return;
    left = draw();
    if (random.chance(momentShare)) track(killHolderOf(run_id, "moments", 1 + random.below(latestMs)));
    else track(killHolderOf(run_id, "entries", 0));
  });

  return {
    start: () => void (isStarted = true),
    killAfter: (run_id, place) => void places.set(run_id, place),
    kills: () => ({ ...kills }),
    async close() {
      isStarted = false;
      places.clear();
      await listener.end();
      await Promise.all(killing);
    },
  };
}
