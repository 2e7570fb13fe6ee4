import { useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { client } from "../data/client.ts";
import { InputPreview } from "../ui/input-preview.tsx";
import { Dot } from "../ui/status.tsx";
import { Ago } from "../ui/time.tsx";
import styles from "./play.module.css";

type Props = { agentId: string; onChoose: (input: Record<string, unknown>) => void };

/** What the agent was last run with. One click puts it into the form. */
export function LastInputs({ agentId, onChoose }: Props): ReactElement | null {
  const { data } = useQuery({
    queryKey: ["last-inputs", agentId],
    queryFn: () => client.runs.list({ agent_id: agentId, limit: 6, include: "input_payload" }).page(),
    refetchInterval: 10_000,
  });
  if (!data || data.data.length === 0) return null;
  return (
    <section aria-label="Last inputs" className={styles.last}>
      <h2>Last inputs</h2>
      <ul>
        {data.data.map((run) => (
          <li key={run.id}>
            <button type="button" onClick={() => onChoose((run.input_payload ?? {}) as Record<string, unknown>)}>
              <Dot status={run.status} />
              <span className="clip">
                <InputPreview preview={run.input_preview} />
              </span>
              <span className="dim">
                <Ago at={run.created_at} />
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
