import { useMutation, useQuery } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import { client, renew } from "../data/client.ts";
import { usePages } from "../data/use-pages.ts";
import { Button } from "../ui/button.tsx";
import { Listed } from "../ui/listed.tsx";
import { Loaded } from "../ui/states.tsx";
import { Ago } from "../ui/time.tsx";
import styles from "./threads.module.css";

/** `endedAt`: when a turn has last ended, and may have left another state. */
type Props = { threadId: string; endedAt: string };

/** What the thread's next run starts with. It can be set, and earlier ones can be taken back. */
export function StateView({ threadId, endedAt }: Props): ReactElement {
  const state = useQuery({
    queryKey: ["state", threadId, endedAt],
    queryFn: () => client.threads.getState(threadId),
    placeholderData: (earlier) => earlier,
  });
  return (
    <aside className={styles.state_} aria-label="State">
      <Loaded query={state}>
        {({ state_snapshot, updated_at }) => <Editor threadId={threadId} text={state_snapshot ?? ""} at={updated_at} />}
      </Loaded>
      <Earlier threadId={threadId} endedAt={endedAt} />
    </aside>
  );
}

/** What was typed, and the state of which it was made. */
type Edited = { text: string; from: string };

function Editor({ threadId, text, at }: { threadId: string; text: string; at: string }): ReactElement {
  const [edited, setEdited] = useState<Edited | null>(null);
  const set = useMutation({
    mutationFn: (given: Edited) => replaceState(threadId, given),
    onSuccess: async () => {
      await renew(["state", threadId]);
      setEdited(null);
    },
    onError: () => renew(["state", threadId]),
  });
  const showPresent = (): void => {
    setEdited(null);
    set.reset();
  };
  return (
    <>
      <h2>State</h2>
      <p className="dim">
        As of <Ago at={at} />
      </p>
      <textarea
        aria-label="State"
        rows={10}
        spellCheck={false}
        value={edited?.text ?? text}
        onChange={({ target }) => setEdited({ text: target.value, from: edited?.from ?? text })}
      />
      {set.error && (
        <p role="alert" className="bad">
          {set.error.message}
        </p>
      )}
      {edited !== null && edited.from !== text && edited.text !== text && (
        <p role="status">
          The thread has got another state since you began to type. <Button onClick={showPresent}>Show it</Button>
        </p>
      )}
      <Button
        disabled={edited === null || edited.text === text || set.isPending}
        onClick={() => edited && set.mutate(edited)}
      >
        Set this state
      </Button>
    </>
  );
}

/** A state that a turn has left meanwhile is not replaced: nobody has seen it. */
async function replaceState(threadId: string, { text, from }: Edited): Promise<unknown> {
  const { state_snapshot } = await client.threads.getState(threadId);
  if ((state_snapshot ?? "") !== from)
    throw new Error("Nothing was set: what you have typed was made of an earlier state.");
  return client.threads.setState(threadId, { state_snapshot: text });
}

function Earlier({ threadId, endedAt }: Props): ReactElement {
  const query = usePages(
    ["state-history", threadId, endedAt],
    () => client.threads.listHistory(threadId, { limit: 20 }),
    { placeholderData: (earlier) => earlier },
  );
  return (
    <Listed query={query} empty={null}>
      {(states) => (
        <ol aria-label="Earlier states">
          {states.map(({ id, completed_at, state_snapshot }) => (
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
    </Listed>
  );
}
