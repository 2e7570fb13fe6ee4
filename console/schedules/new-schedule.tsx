import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactElement, useId, useState } from "react";
import { client, renew } from "../data/client.ts";
import { JsonField } from "../form/json-field.tsx";
import { AgentOptions } from "../ui/agent-options.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog, DialogButtons } from "../ui/dialog.tsx";
import { Ago } from "../ui/time.tsx";
import styles from "./schedules.module.css";

/** A schedule is shown by its next ticks before it is made. */
export function NewSchedule({ onClose }: { onClose: () => void }): ReactElement {
  const [agent_id, setAgent] = useState("");
  const [schedule, setSchedule] = useState("0 8 * * 1-5");
  const [timezone, setTimezone] = useState(() => Intl.DateTimeFormat().resolvedOptions().timeZone);
  const [input_payload, setInput] = useState<Record<string, unknown>>({});
  const agents = useId();
  const make = useMutation({
    mutationFn: () =>
      client.jobs.create({ agent_id: agent_id.trim(), version: "current", schedule, timezone, input_payload }),
    onSuccess: async () => {
      await renew(["jobs"]);
      onClose();
    },
  });
  function submit(event: FormEvent): void {
    event.preventDefault();
    make.mutate();
  }
  return (
    <Dialog title="New schedule" onClose={onClose}>
      <form className={styles.form} onSubmit={submit}>
        <label>
          Agent
          <input
            required
            list={agents}
            autoComplete="off"
            placeholder="its id"
            value={agent_id}
            onChange={({ target }) => setAgent(target.value)}
          />
        </label>
        <AgentOptions id={agents} />
        <label>
          When: a cron expression, “every 5m”, or a time
          <input required className="num" value={schedule} onChange={({ target }) => setSchedule(target.value)} />
        </label>
        <label>
          Time zone
          <input required value={timezone} onChange={({ target }) => setTimezone(target.value)} />
        </label>
        <NextTicks schedule={schedule} timezone={timezone} />
        <div>
          <span>Input, as JSON</span>
          <JsonField
            label="Input, as JSON"
            rows={4}
            value={input_payload}
            onChange={(value) => setInput((value ?? {}) as Record<string, unknown>)}
          />
        </div>
        {make.error && (
          <p role="alert" className="bad">
            {make.error.message}
          </p>
        )}
        <DialogButtons>
          <Button onClick={onClose}>Leave it</Button>
          <Button type="submit" look="primary" disabled={make.isPending}>
            Make it
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}

function NextTicks({ schedule, timezone }: { schedule: string; timezone: string }): ReactElement {
  const { data, error } = useQuery({
    queryKey: ["ticks-preview", schedule, timezone],
    queryFn: () => client.jobs.previewSchedule({ schedule, timezone, count: 5 }),
    placeholderData: (earlier) => earlier,
  });
  if (error) return <p className="bad">{error.message}</p>;
  return (
    <ol className={styles.next} aria-label="Next ticks">
      {data?.data.map(({ scheduled_at }) => (
        <li key={scheduled_at}>
          <span className="num">{new Date(scheduled_at).toLocaleString("en-GB", { timeZoneName: "short" })}</span>{" "}
          <span className="dim">
            <Ago at={scheduled_at} />
          </span>
        </li>
      ))}
    </ol>
  );
}
