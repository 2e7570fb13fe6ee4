import { useMutation, useQuery } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import { client, renew } from "../data/client.ts";
import { Button } from "../ui/button.tsx";
import { Failure, Loaded } from "../ui/states.tsx";
import { Ago } from "../ui/time.tsx";
import styles from "./threads.module.css";

/** What the thread's next run starts with. It can be set, and earlier ones can be taken back. */
export function StateView({ threadId }: { threadId: string }): ReactElement {
  const state = useQuery({ queryKey: ["state", threadId], queryFn: () => client.threads.getState(threadId) });
  return (
    <aside className={styles.state_} aria-label="State">
      <Loaded query={state}>
        {({ state_snapshot, updated_at }) => (
          <Editor key={updated_at} threadId={threadId} text={state_snapshot ?? ""} at={updated_at} />
        )}
      </Loaded>
      <Earlier threadId={threadId} />
    </aside>
  );
}

function Editor({ threadId, text, at }: { threadId: string; text: string; at: string }): ReactElement {
  const [edited, setEdited] = useState(text);
  const set = useMutation({
    mutationFn: () => client.threads.setState(threadId, { state_snapshot: edited }),
    onSuccess: () => renew(["state", threadId]),
  });
  return (
    <>
      <h2>State</h2>
      <p className="dim">
        Set <Ago at={at} />
      </p>
      <textarea
        aria-label="State"
        rows={10}
        spellCheck={false}
        value={edited}
        onChange={({ target }) => setEdited(target.value)}
      />
      {set.error && <Failure error={set.error} />}
      <Button disabled={edited === text || set.isPending} onClick={() => set.mutate()}>
        Set this state
      </Button>
    </>
  );
}

function Earlier({ threadId }: { threadId: string }): ReactElement {
  const query = useQuery({
    queryKey: ["state-history", threadId],
    queryFn: () => client.threads.listHistory(threadId, { limit: 20 }).page(),
  });
  return (
    <Loaded query={query}>
      {({ data }) => (
        <ol aria-label="Earlier states">
          {data.map(({ id, completed_at, state_snapshot }) => (
            <li key={id}>
              <details>
                <summary>
                  <Ago at={completed_at} />
                </summary>
                <pre>{state_snapshot ?? "none"}</pre>
              </details>
            </li>
          ))}
        </ol>
      )}
    </Loaded>
  );
}
