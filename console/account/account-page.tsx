import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactElement, useState } from "react";
import type { CurrentSession, User } from "../../sdk/ts/index.ts";
import { client, renew } from "../data/client.ts";
import { useSession } from "../data/session.ts";
import { usePages } from "../data/use-pages.ts";
import { AskDialog, ShownOnce } from "../ui/ask-dialog.tsx";
import { Button } from "../ui/button.tsx";
import { FigureRow } from "../ui/figures.tsx";
import { formatBytes, formatCost, formatCount, formatMs, formatTokens } from "../ui/format.ts";
import { Listed } from "../ui/listed.tsx";
import { Page, Section } from "../ui/page.tsx";
import { Loaded } from "../ui/states.tsx";
import { Table } from "../ui/table.tsx";
import { Ago } from "../ui/time.tsx";
import styles from "./account.module.css";
import { Keys, type Of } from "./keys.tsx";

/** Whose things are shown: a deployment without keys asks for the user's name. */
const ofUser = ({ auth_mode, user_id }: CurrentSession): Of =>
  auth_mode === "open" && user_id !== null ? { user_id } : {};

/** Who is signed in: profile, keys, sessions, limits and usage. */
export function AccountPage(): ReactElement {
  const session = useSession();
  return (
    <Page title="Account">
      <Loaded query={session}>{(current) => <Account session={current} />}</Loaded>
    </Page>
  );
}

function Account({ session }: { session: CurrentSession }): ReactElement {
  const of = ofUser(session);
  return (
    <>
      <Usage of={of} />
      <div className={styles.columns}>
        <div>
          <Keys session={session} of={of} />
          {session.auth_mode === "key" && <Sessions />}
        </div>
        <div>
          <Profile of={of} />
          <CallbackSecret of={of} />
          <Limits of={of} />
        </div>
      </div>
    </>
  );
}

function Usage({ of }: { of: Of }): ReactElement {
  const query = useQuery({ queryKey: ["my-usage"], queryFn: () => client.users.getMyUsage(of) });
  return (
    <Loaded query={query}>
      {(usage) => (
        <FigureRow
          figures={[
            ["Runs", formatCount(usage.runs)],
            ["Succeeded", formatCount(usage.by_status["success"] ?? 0)],
            ["Failed", formatCount((usage.by_status["error"] ?? 0) + (usage.by_status["timeout"] ?? 0))],
            ["Ran for", formatMs(usage.duration_ms)],
            ["Tokens in / out", formatTokens(usage)],
            ["Cost", formatCost(usage.cost_usd)],
            ["Since", <Ago key="since" at={usage.since} />],
          ]}
        />
      )}
    </Loaded>
  );
}

function Profile({ of }: { of: Of }): ReactElement {
  const query = useQuery({ queryKey: ["me"], queryFn: () => client.users.getMe(of) });
  return (
    <Section title="Profile">
      <Loaded query={query}>{(me) => <ProfileForm key={me.id} me={me} of={of} />}</Loaded>
    </Section>
  );
}

function ProfileForm({ me, of }: { me: User; of: Of }): ReactElement {
  const [edited, setEdited] = useState<{ name?: string; email?: string }>({});
  const { name, email } = { name: me.name ?? "", email: me.email ?? "", ...edited };
  const save = useMutation({
    mutationFn: () => client.users.updateMe({ name: name || null, email: email || null }, of),
    onSuccess: async () => {
      await renew(["me"]);
      setEdited({});
    },
  });
  function submit(event: FormEvent): void {
    event.preventDefault();
    save.mutate();
  }
  return (
    <form className={styles.form} onSubmit={submit}>
      <p>
        <span className="dim">Id</span> <span className="num">{me.id}</span>
      </p>
      <label>
        Name
        <input
          value={name}
          autoComplete="name"
          onChange={({ target }) => setEdited({ ...edited, name: target.value })}
        />
      </label>
      <label>
        Email
        <input
          type="email"
          value={email}
          autoComplete="email"
          onChange={({ target }) => setEdited({ ...edited, email: target.value })}
        />
      </label>
      {save.error && (
        <p role="alert" className="bad">
          {save.error.message}
        </p>
      )}
      <Button type="submit" disabled={save.isPending || (name === (me.name ?? "") && email === (me.email ?? ""))}>
        Save
      </Button>
    </form>
  );
}

function CallbackSecret({ of }: { of: Of }): ReactElement {
  const [isAsking, setAsking] = useState(false);
  const rotate = useMutation({ mutationFn: () => client.users.rotateCallbackSecret(of) });
  const close = (): void => {
    setAsking(false);
    rotate.reset();
  };
  return (
    <Section title="Callback secret" actions={<Button onClick={() => setAsking(true)}>Make a new one…</Button>}>
      <p className={styles.about}>
        Completion callbacks are signed with it. After a new one was made, the earlier one still signs for a day.
      </p>
      {isAsking && !rotate.data && (
        <AskDialog
          title="Make a new callback secret?"
          act="Make it"
          error={rotate.error}
          isPending={rotate.isPending}
          onSubmit={() => rotate.mutate()}
          onClose={close}
        >
          <p>Whoever receives your callbacks has to know the new one.</p>
        </AskDialog>
      )}
      {rotate.data && (
        <ShownOnce title="The callback secret" secret={rotate.data.secret} onClose={close}>
          Receivers check the signatures of callbacks with it.
        </ShownOnce>
      )}
    </Section>
  );
}

function Sessions(): ReactElement {
  const query = usePages(["sessions"], () => client.sessions.list({ limit: 100 }), { refetchMs: 30_000 });
  const end = useMutation({
    mutationFn: (id: string) => client.sessions.end(id),
    onSettled: () => renew(["sessions"]),
  });
  return (
    <Section title="Sessions">
      {end.error && (
        <p role="alert" className={`bad ${styles.about}`}>
          {end.error.message}
        </p>
      )}
      <Listed query={query} empty={null}>
        {(sessions) => (
          <Table heads={["Browser", "Address", "Used", "Ends", ""]} caption="Sessions">
            {sessions.map((session) => (
              <tr key={session.id}>
                <td className={styles.browser} title={session.user_agent ?? undefined}>
                  {session.is_current ? <b>This one</b> : browserOf(session.user_agent)}
                </td>
                <td className="num">{session.ip ?? "–"}</td>
                <td>
                  <Ago at={session.last_used_at} />
                </td>
                <td>
                  <Ago at={session.expires_at} />
                </td>
                <td className={styles.act}>
                  {!session.is_current && (
                    <Button
                      aria-label={`End the session of ${session.ip ?? "an unknown address"}`}
                      disabled={end.isPending}
                      onClick={() => end.mutate(session.id)}
                    >
                      End
                    </Button>
                  )}
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Listed>
    </Section>
  );
}

/** Returns a browser's short name. The long one says Mozilla of them all. */
const browserOf = (agent: string | null): string =>
  ["Edg", "Firefox", "Chrome", "Safari", "curl"].find((name) => agent?.includes(name))?.replace("Edg", "Edge") ??
  agent?.slice(0, 30) ??
  "unknown";

function Limits({ of }: { of: Of }): ReactElement {
  const query = useQuery({ queryKey: ["my-limits"], queryFn: () => client.users.getMyLimits(of) });
  return (
    <Section title="Limits">
      <Loaded query={query}>
        {({ requests_per_minute, open_runs, request, run }) => (
          <dl className={styles.limits}>
            <Limit name="requests a minute" value={requests_per_minute} />
            <Limit name="queued now" value={open_runs.queued} />
            <Limit name="running now" value={open_runs.running} />
            {[...Object.entries(run), ...Object.entries(request)].map(([name, value]) => (
              <Limit
                key={name}
                name={name.replace(/_(ms|bytes)$/, "").replaceAll("_", " ")}
                value={value}
                format={formatOf(name)}
              />
            ))}
          </dl>
        )}
      </Loaded>
    </Section>
  );
}

function formatOf(name: string): (value: number) => string {
  if (name.endsWith("_ms")) return formatMs;
  return name.endsWith("_bytes") ? formatBytes : formatCount;
}

type LimitProps = { name: string; value: number | null; format?: (value: number) => string };

const Limit = ({ name, value, format = formatCount }: LimitProps): ReactElement => (
  <div>
    <dt>{name}</dt>
    <dd className="num">{value === null ? "no limit" : format(value)}</dd>
  </div>
);
