import { useMutation, useQuery } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import type { ApiKey, Run } from "../../sdk/ts/index.ts";
import { client, renew } from "../data/client.ts";
import { linkTo } from "../data/shared-link.ts";
import { AskDialog, ShownOnce } from "../ui/ask-dialog.tsx";
import { Button } from "../ui/button.tsx";
import { Failure } from "../ui/states.tsx";
import { Ago } from "../ui/time.tsx";
import styles from "./run.module.css";

const hourMs = 3_600_000;
const lives = { "an hour": hourMs, "a day": 24 * hourMs, "7 days": 168 * hourMs, "30 days": 720 * hourMs } as const;
type Life = keyof typeof lives;

/** Makes a link that shows this run and nothing else, and revokes those that there are. */
export function ShareDialog({ run, onClose }: { run: Run; onClose: () => void }): ReactElement {
  const [life, setLife] = useState<Life>("7 days");
  const make = useMutation({
    mutationFn: () =>
      client.users.createApiKey({
        user_id: run.user_id,
        run_id: run.id,
        name: "shared link",
        expires_at: new Date(Date.now() + lives[life]).toISOString(),
      }),
    onSuccess: () => renew(["links", run.id]),
  });
  if (make.data)
    return (
      <ShownOnce title="The run's link" secret={linkTo(run.id, make.data.key)} onClose={onClose}>
        Whoever has it reads this run, its input, events, log and files, and nothing else.
      </ShownOnce>
    );
  return (
    <AskDialog
      title="Share the run"
      act="Make a link"
      error={make.error}
      isPending={make.isPending}
      onSubmit={() => make.mutate()}
      onClose={onClose}
    >
      <p className="dim">
        Whoever has the link reads this run without signing in: its input, events, log, result and files. Nothing can be
        done with it.
      </p>
      <label>
        Works for
        <select value={life} onChange={({ target }) => setLife(target.value as Life)}>
          {Object.keys(lives).map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <Links run={run} />
    </AskDialog>
  );
}

/** The links that work now. */
function Links({ run }: { run: Run }): ReactElement | null {
  const query = useQuery({
    queryKey: ["links", run.id],
    queryFn: async () => {
      const links: ApiKey[] = [];
      for await (const key of client.users.listApiKeys({ user_id: run.user_id, run_id: run.id, limit: 100 }))
        if (isLive(key)) links.push(key);
      return links;
    },
  });
  const revoke = useMutation({
    mutationFn: (id: string) => client.users.revokeApiKey(id),
    onSettled: () => renew(["links", run.id]),
  });
  if (query.error) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  const live = query.data ?? [];
  if (live.length === 0) return null;
  return (
    <section aria-label="Links that work" className={styles.links}>
      <h3>Links that work</h3>
      <ul>
        {live.map(({ id, created_at, expires_at, last_used_at }) => (
          <li key={id}>
            <span>
              Made <Ago at={created_at} />,{" "}
              {last_used_at === null ? (
                "never opened"
              ) : (
                <>
                  last opened <Ago at={last_used_at} />
                </>
              )}
              <span className="dim">
                ; ends <Ago at={expires_at} />
              </span>
            </span>
            <Button onClick={() => revoke.mutate(id)} disabled={revoke.isPending}>
              Revoke
            </Button>
          </li>
        ))}
      </ul>
      {revoke.error && (
        <p role="alert" className="bad">
          {revoke.error.message}
        </p>
      )}
    </section>
  );
}

const isLive = ({ revoked_at, expires_at }: ApiKey): boolean =>
  revoked_at === null && expires_at !== null && new Date(expires_at).getTime() > Date.now();
