import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactElement, type ReactNode, useState } from "react";
import type { FleetWorker, RunListItem } from "../../sdk/ts/index.ts";
import { client, renew } from "../data/client.ts";
import { AskDialog } from "../ui/ask-dialog.tsx";
import { Button } from "../ui/button.tsx";
import { formatCount } from "../ui/format.ts";
import { Empty, Loaded } from "../ui/states.tsx";
import { Dot } from "../ui/status.tsx";
import { Ago } from "../ui/time.tsx";
import styles from "./fleet.module.css";

/** Each worker with its slots: what runs where, of which version of the service it is, and what it isolates by. */
export function Workers(): ReactElement {
  const fleet = useQuery({ queryKey: ["fleet"], queryFn: () => client.admin.getFleet(), refetchInterval: 3_000 });
  const running = useQuery({
    queryKey: ["fleet-runs"],
    queryFn: () => client.admin.listAllRuns({ status: "running", limit: 100 }).page(),
    refetchInterval: 3_000,
  });
  const [asked, setAsked] = useState<Asked | null>(null);
  return (
    <Loaded query={fleet}>
      {({ data }) =>
        data.length === 0 ? (
          <Empty title="No worker is alive">
            <p>Runs are accepted, and wait until a worker process is started.</p>
          </Empty>
        ) : (
          <>
            <ul className={styles.workers}>
              {data.map((worker) => (
                <Worker
                  key={worker.id}
                  worker={worker}
                  isOdd={worker.software !== usualSoftware(data)}
                  runs={running.data?.data.filter(({ worker_id }) => worker_id === worker.id) ?? []}
                  onAsk={(act) => setAsked({ act, worker })}
                />
              ))}
            </ul>
            {asked && <Dismiss {...asked} onClose={() => setAsked(null)} />}
          </>
        )
      }
    </Loaded>
  );
}

/** Returns the software that most workers have. */
function usualSoftware(workers: FleetWorker[]): string {
  const counts = new Map<string, number>();
  for (const { software } of workers) counts.set(software, (counts.get(software) ?? 0) + 1);
  return [...counts].toSorted((one, other) => other[1] - one[1])[0]?.[0] ?? "";
}

type WorkerProps = { worker: FleetWorker; isOdd: boolean; runs: RunListItem[]; onAsk: (act: Asked["act"]) => void };

const tones: Record<string, string> = { active: "success", draining: "timeout" };

const Worker = ({ worker, isOdd, runs, onAsk }: WorkerProps): ReactElement => (
  <li aria-label={worker.id} data-status={worker.status}>
    <header>
      <span className={styles.state}>
        <Dot status={tones[worker.status] ?? "cancelled"} />
        <b className="num">{worker.id}</b>
        {worker.status !== "active" && <span className="bad">{worker.status}</span>}
      </span>
      {(worker.status === "active" || worker.status === "draining") && (
        <span className={styles.acts}>
          {worker.status === "active" && (
            <Button aria-label={`Drain ${worker.id}`} onClick={() => onAsk("drain")}>
              Drain…
            </Button>
          )}
          <Button look="danger" aria-label={`Kill ${worker.id}`} onClick={() => onAsk("kill")}>
            Kill…
          </Button>
        </span>
      )}
    </header>
    <Slots worker={worker} runs={runs} />
    <dl>
      <Fact name="busy">
        {formatCount(worker.busy)} of {formatCount(worker.slots)}
      </Fact>
      <Fact name="host">
        {worker.host}:{worker.pid}
      </Fact>
      <Fact name="pool">{worker.pool}</Fact>
      <Fact name="software">
        <span className={isOdd ? "bad" : ""}>{worker.software}</span>
      </Fact>
      <Fact name="sandbox">
        {worker.sandbox.level} {worker.sandbox.name}
      </Fact>
      <Fact name="started">
        <Ago at={worker.started_at} />
      </Fact>
      <Fact name="heard of">
        <Ago at={worker.heartbeat_at} />
      </Fact>
      {offersOf(worker.adapters).map(([lifecycle, adapters]) => (
        <Fact key={lifecycle} name={lifecycle}>
          {adapters}
        </Fact>
      ))}
    </dl>
  </li>
);

/** Returns the adapters of each lifecycle: `interactive:python` is that of `interactive`. */
function offersOf(offers: string[]): [lifecycle: string, adapters: string][] {
  const byLifecycle = new Map<string, string[]>();
  for (const offer of offers) {
    const [lifecycle, adapter] = offer.includes(":") ? (offer.split(":") as [string, string]) : ["adapters", offer];
    byLifecycle.set(lifecycle, [...(byLifecycle.get(lifecycle) ?? []), adapter]);
  }
  return [...byLifecycle].map(([lifecycle, adapters]) => [lifecycle, adapters.join(", ")]);
}

const Fact = ({ name, children }: { name: string; children: ReactNode }): ReactElement => (
  <div>
    <dt>{name}</dt>
    <dd className="num">{children}</dd>
  </div>
);

/** A slot a square. One whose run is among the newest hundred leads to it. */
function Slots({ worker: { slots, busy }, runs }: Pick<WorkerProps, "worker" | "runs">): ReactElement {
  const others = Math.max(0, busy - runs.length);
  const free = Math.max(0, slots - runs.length - others);
  return (
    <div className={styles.slots} role="group" aria-label={`${busy} of ${slots} slots are busy`}>
      {runs.map(({ id, agent_id }) => (
        <Link
          key={id}
          to="/runs/$id"
          params={{ id }}
          title={`${agent_id}: ${id}`}
          aria-label={`${agent_id}: ${id}`}
          data-busy
        />
      ))}
      {numbers(others).map((number) => (
        <i key={`busy ${number}`} data-busy />
      ))}
      {numbers(free).map((number) => (
        <i key={number} />
      ))}
    </div>
  );
}

const numbers = (count: number): number[] => Array.from({ length: Math.min(count, 512) }, (_, at) => at + 1);

type Asked = { act: "drain" | "kill"; worker: FleetWorker };

function Dismiss({ act, worker: { id, busy }, onClose }: Asked & { onClose: () => void }): ReactElement {
  const dismiss = useMutation({
    mutationFn: () => (act === "drain" ? client.admin.drainWorker(id) : client.admin.killWorker(id)),
    onSuccess: async () => {
      await renew(["fleet"]);
      onClose();
    },
  });
  return (
    <AskDialog
      title={act === "drain" ? "Drain the worker?" : "Kill the worker?"}
      act={act === "drain" ? "Drain it" : "Kill it"}
      look={act === "drain" ? "primary" : "danger"}
      error={dismiss.error}
      isPending={dismiss.isPending}
      onSubmit={() => dismiss.mutate()}
      onClose={onClose}
    >
      <p>
        <span className="num">{id}</span>{" "}
        {act === "drain"
          ? `takes no more runs and leaves when its ${busy === 1 ? "run has" : `${busy} runs have`} ended.`
          : `leaves at once. Its ${busy === 1 ? "run is" : `${busy} runs are`} tried again elsewhere.`}
      </p>
    </AskDialog>
  );
}
