import { useMutation, useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";
import type { Run, RunCallbacks } from "../../sdk/ts/index.ts";
import { client, renew } from "../data/client.ts";
import { Button } from "../ui/button.tsx";
import { formatMs } from "../ui/format.ts";
import { Empty, Failure, Loaded } from "../ui/states.tsx";
import { Table } from "../ui/table.tsx";
import { Clock } from "../ui/time.tsx";
import styles from "./run.module.css";

/** The tries to deliver the run's completion callback. */
export function Callbacks({ run }: { run: Run }): ReactElement {
  const query = useQuery({
    queryKey: ["callbacks", run.id, run.status],
    queryFn: () => client.runs.listCallbacks(run.id),
    placeholderData: (earlier) => earlier,
    // It is tried when the run has ended.
    refetchInterval: ({ state }) => (run.completed_at !== null && isOpen(state.data) ? 1_000 : false),
  });
  return (
    <Loaded query={query}>
      {(callbacks) =>
        callbacks.callback ? (
          <Tries run={run} {...callbacks} callback={callbacks.callback} />
        ) : (
          <Empty title="No callback">
            <p>A run whose request names a completion_callback_url posts its result there.</p>
          </Empty>
        )
      }
    </Loaded>
  );
}

const isOpen = (callbacks: RunCallbacks | undefined): boolean =>
  callbacks?.callback?.status === "waiting" || callbacks?.callback?.status === "pending";

type TriesProps = RunCallbacks & { run: Run; callback: NonNullable<RunCallbacks["callback"]> };

function Tries({ run, callback, data }: TriesProps): ReactElement {
  const again = useMutation({
    mutationFn: () => client.runs.redeliverCallback(run.id),
    onSuccess: () => renew(["callbacks", run.id]),
  });
  return (
    <>
      <p className={styles.note}>
        To <span className="num">{callback.url_host}</span>: {callback.status}{" "}
        <Button onClick={() => again.mutate()} disabled={again.isPending || run.completed_at === null}>
          Send again
        </Button>
      </p>
      {again.error && <Failure error={again.error} />}
      <Table heads={["Try", "Time", "Answer", "Took", "Error"]}>
        {data.map((one) => (
          <tr key={one.try}>
            <td className="num">{one.try}</td>
            <td>
              <Clock at={one.at} />
            </td>
            <td className="num">{one.status_code ?? "–"}</td>
            <td className="num">{formatMs(one.duration_ms)}</td>
            <td>
              {one.error} {one.hint && <span className="dim">{one.hint}</span>}
            </td>
          </tr>
        ))}
      </Table>
    </>
  );
}
