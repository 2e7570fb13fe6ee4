/** A process that was started before any run needs it. */
type Startable = { kill(): void; exited: Promise<unknown> };

type PrewarmOptions<Profile, Process> = {
  open: (profile: Profile) => Promise<Process>;
  /** What prewarmed processes are started with: what most runs ask for. */
  defaultProfile: Profile;
  /** True when a process with the default profile serves a run that asks for `profile`. */
  isDefault: (profile: Profile) => boolean;
  /** Whether some are started at once. Otherwise the first run of this kind starts them: a worker without such runs holds none. */
  atOnce: boolean;
};

/** Started processes that belong to no run yet. */
export type Prewarmed<Profile, Process> = {
  /** Returns a prewarmed process where its profile fits, else a new one. Rejects as `open` does. */
  take(profile: Profile): Promise<Process>;
  close(): void;
};

const count = 2;
/** How long to wait before a process that ended by itself is replaced. */
const pauseMs = 1_000;

export function prewarm<Profile, Process extends Startable>({
  open,
  defaultProfile,
  isDefault,
  atOnce,
}: PrewarmOptions<Profile, Process>): Prewarmed<Profile, Process> {
  const ready = new Set<Promise<Process>>();
  let closed = false;

  function refill(): void {
    while (!closed && ready.size < count) {
      const started = open(defaultProfile);
      ready.add(started);
      // A machine that gives no sandbox tells it to the run that needs one.
      started
        .then(({ exited }) => exited)
        .then(
          () => ready.delete(started) && setTimeout(refill, pauseMs).unref(),
          () => ready.delete(started),
        );
    }
  }

  if (atOnce) refill();
  return {
    async take(profile) {
      if (!isDefault(profile)) return open(profile);
      // The next process is started after this run has what it needs.
      setImmediate(refill);
      const [started] = ready;
      if (!started) return open(profile);
      ready.delete(started);
      return started.catch(() => open(profile));
    },
    close() {
      closed = true;
      for (const started of ready) void started.then((process) => process.kill()).catch(() => undefined);
      ready.clear();
    },
  };
}
