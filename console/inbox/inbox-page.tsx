import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactElement } from "react";
import type { AskingRun, Notification } from "../../sdk/ts/index.ts";
import { client, renew } from "../data/client.ts";
import { useSession } from "../data/session.ts";
import { usePages } from "../data/use-pages.ts";
import { Question } from "../run-view/question.tsx";
import { Button } from "../ui/button.tsx";
import { formatCount } from "../ui/format.ts";
import { Listed } from "../ui/listed.tsx";
import { Page, Section } from "../ui/page.tsx";
import { Empty } from "../ui/states.tsx";
import { Ago } from "../ui/time.tsx";
import styles from "./inbox.module.css";

/** What waits for a person, and what has happened. */
export function InboxPage(): ReactElement {
  const { data: session } = useSession();
  // Without keys nobody is signed in: everybody's notifications are shown, each with its user.
  const user_id = session?.auth_mode === "key" ? (session.user_id ?? undefined) : undefined;
  return (
    <Page title="Inbox" actions={user_id !== undefined && <ReadAll />}>
      <div className={styles.inbox}>
        <Questions />
        <News user_id={user_id} />
      </div>
    </Page>
  );
}

function Questions(): ReactElement {
  const query = usePages(["questions"], () => client.runs.listInterrupts({ limit: 50 }), { refetchMs: 5_000 });
  return (
    <Section title="Questions">
      <Listed
        query={query}
        empty={
          <Empty title="No run asks">
            <p>A run that calls interrupt() waits for an answer, and its question appears here.</p>
          </Empty>
        }
      >
        {(runs) => (
          <ul className={styles.questions}>
            {runs.map((run) => (
              <Asking key={run.run_id} run={run} />
            ))}
          </ul>
        )}
      </Listed>
    </Section>
  );
}

const Asking = ({ run }: { run: AskingRun }): ReactElement => (
  <li>
    <p className={styles.about}>
      <span>
        {run.agent_id} <span className="num">{run.version}</span>
      </span>
      <Ago at={run.asked_at} />
      <Link to="/runs/$id" params={{ id: run.run_id }}>
        Open the run
      </Link>
    </p>
    {run.interrupts.map((interrupt) => (
      <Question
        key={interrupt.id}
        runId={run.run_id}
        interrupt={interrupt}
        onAnswered={() => void renew(["questions"])}
      />
    ))}
  </li>
);

/** `user_id`: whose. Left out: all users'. */
function News({ user_id }: { user_id: string | undefined }): ReactElement {
  const query = usePages(["notifications", { user_id }], () => client.notifications.list({ user_id, limit: 100 }), {
    refetchMs: 10_000,
  });
  return (
    <Section title="Notifications">
      <Listed
        query={query}
        empty={
          <Empty title="Nothing to report">
            <p>Failed runs, questions, daemons that crash and quotas that are spent are told here.</p>
          </Empty>
        }
      >
        {(news) => (
          <ul className={styles.news}>
            {news.map((one) => (
              <Told key={one.id} notification={one} isOfAll={user_id === undefined} />
            ))}
          </ul>
        )}
      </Listed>
    </Section>
  );
}

/** `isOfAll`: beside those of other users. */
function Told({ notification, isOfAll }: { notification: Notification; isOfAll: boolean }): ReactElement {
  const { id, user_id, level, title, body, run_id, agent_id, created_at, read_at } = notification;
  const read = useMutation({
    mutationFn: () => client.notifications.read({ ids: [id] }),
    onSettled: () => renew(["notifications"]),
  });
  return (
    <li data-level={level} data-read={read_at !== null || undefined}>
      <div>
        <h3>{title}</h3>
        {body && <p className="dim">{body}</p>}
        <p className={styles.about}>
          {isOfAll && <span>{user_id}</span>}
          {agent_id && <span>{agent_id}</span>}
          <Ago at={created_at} />
          {run_id && (
            <Link to="/runs/$id" params={{ id: run_id }}>
              Open the run
            </Link>
          )}
        </p>
      </div>
      {read.error && (
        <span role="alert" className="bad">
          {read.error.message}
        </span>
      )}
      {read_at === null && (
        <Button
          look="quiet"
          disabled={read.isPending}
          onClick={() => read.mutate()}
          aria-label={`Mark as read: ${title}`}
        >
          Read
        </Button>
      )}
    </li>
  );
}

function ReadAll(): ReactElement | null {
  const { data } = useQuery({
    queryKey: ["notifications", "unread"],
    queryFn: () => client.notifications.count(),
    refetchInterval: 10_000,
  });
  const read = useMutation({
    mutationFn: () => client.notifications.readAll(),
    onSettled: () => renew(["notifications"]),
  });
  if (!data || data.unread === 0) return null;
  return (
    <>
      {read.error && (
        <span role="alert" className="bad">
          {read.error.message}
        </span>
      )}
      <Button disabled={read.isPending} onClick={() => read.mutate()}>
        Mark {formatCount(data.unread)} as read
      </Button>
    </>
  );
}
