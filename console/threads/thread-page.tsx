import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { type ReactElement, useState } from "react";
import type { RunListItem, Thread, ThreadMessage } from "../../sdk/ts/index.ts";
import { client, renew } from "../data/client.ts";
import { Button } from "../ui/button.tsx";
import { Page } from "../ui/page.tsx";
import { Empty, Failure, Loaded } from "../ui/states.tsx";
import { Composer } from "./composer.tsx";
import { StateView } from "./state-view.tsx";
import styles from "./threads.module.css";
import { Copied, Turn } from "./turn.tsx";

/** A conversation: each run is a turn. */
export function ThreadPage(): ReactElement {
  const { id } = useParams({ from: "/threads/$id" });
  const query = useQuery({ queryKey: ["thread", id], queryFn: () => client.threads.get(id) });
  return <Loaded query={query}>{(thread) => <Conversation key={thread.id} thread={thread} />}</Loaded>;
}

/** `copied`: what was said in the thread that this one was forked from. */
type Turns = { copied: ThreadMessage[]; runs: RunListItem[]; texts: Map<string, string>; hasEarlier: boolean };

/** Returns the newest turns, the oldest of them first, and what their agents said. */
async function readTurns(id: string): Promise<Turns> {
  const [runs, messages] = await Promise.all([
    client.threads.listRuns(id, { limit: 50, include: "input_payload,result_content" }).page(),
    client.threads.listMessages(id, { limit: 100, order: "desc" }).page(),
  ]);
  const own = new Set(runs.data.map(({ id: run }) => run));
  const copied = messages.data.filter(({ run_id }) => !runs.has_more && (run_id === null || !own.has(run_id)));
  return {
    copied: copied.toReversed(),
    runs: runs.data.toReversed(),
    texts: textsOf(messages.data),
    hasEarlier: runs.has_more,
  };
}

const textsOf = (messages: ThreadMessage[]): Map<string, string> =>
  new Map(
    messages.flatMap(({ role, run_id, text }) =>
      role === "assistant" && run_id !== null && text !== null ? [[run_id, text] as const] : [],
    ),
  );

function Conversation({ thread }: { thread: Thread }): ReactElement {
  const [isStateShown, setStateShown] = useState(false);
  const query = useQuery({
    queryKey: ["turns", thread.id],
    queryFn: () => readTurns(thread.id),
    refetchInterval: ({ state }) =>
      state.data?.runs.some(({ completed_at }) => completed_at === null) ? 2_000 : 10_000,
  });
  const last = query.data?.runs.at(-1);
  const [endedAt = ""] =
    query.data?.runs
      .map(({ completed_at }) => completed_at ?? "")
      .toSorted()
      .toReversed() ?? [];
  return (
    <Page
      title={thread.title ?? thread.id}
      beside={<span className="dim">{thread.agent_id}</span>}
      actions={
        <Button aria-pressed={isStateShown} onClick={() => setStateShown(!isStateShown)}>
          State
        </Button>
      }
    >
      <div className={styles.thread} data-state={isStateShown || undefined}>
        <div className={styles.turns}>
          <Loaded query={query}>
            {({ copied, runs, texts, hasEarlier }) => (
              <>
                {hasEarlier && (
                  <p className={styles.earlier}>
                    The newest {runs.length} turns. Earlier ones are in the list of runs.
                  </p>
                )}
                {runs.length + copied.length === 0 && (
                  <Empty title="Nothing said yet">
                    <p>Say something below.</p>
                  </Empty>
                )}
                <ol aria-label="Turns">
                  {copied.map((message) => (
                    <Copied key={message.id} message={message} />
                  ))}
                  {runs.map((run) => (
                    <Turn
                      key={run.id}
                      run={run}
                      said={texts.get(run.id)}
                      isFirst={run.id === runs.find(({ completed_at }) => completed_at === null)?.id}
                      actions={<Fork threadId={thread.id} runId={run.id} />}
                    />
                  ))}
                </ol>
              </>
            )}
          </Loaded>
          <Composer
            thread={thread}
            agentId={thread.agent_id ?? last?.agent_id ?? null}
            lastInput={last?.input_payload}
            onSent={() => void renew(["turns", thread.id])}
          />
        </div>
        {isStateShown && <StateView threadId={thread.id} endedAt={endedAt} />}
      </div>
    </Page>
  );
}

/** Another thread that goes on from here. This one stays as it is. */
function Fork({ threadId, runId }: { threadId: string; runId: string }): ReactElement {
  const navigate = useNavigate();
  const fork = useMutation({
    mutationFn: () => client.threads.fork(threadId, { run_id: runId }),
    onSuccess: ({ id }) => navigate({ to: "/threads/$id", params: { id } }),
  });
  return (
    <>
      {fork.error && <Failure error={fork.error} />}
      <Button look="quiet" disabled={fork.isPending} onClick={() => fork.mutate()}>
        Fork here
      </Button>
    </>
  );
}
