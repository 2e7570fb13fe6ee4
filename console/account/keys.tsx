import { useMutation } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import type { ApiKey, CurrentSession, NewApiKey } from "../../sdk/ts/index.ts";
import { client, renew } from "../data/client.ts";
import { usePages } from "../data/use-pages.ts";
import { AskDialog, ShownOnce } from "../ui/ask-dialog.tsx";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Listed } from "../ui/listed.tsx";
import { Section } from "../ui/page.tsx";
import { Empty } from "../ui/states.tsx";
import { Table } from "../ui/table.tsx";
import { Ago } from "../ui/time.tsx";
import styles from "./account.module.css";

/** The user in question; left out: who is signed in. */
export type Of = { user_id?: string };
type Props = { session: CurrentSession; of: Of };

/** API keys. A key is shown once, when it is made. */
export function Keys({ session, of }: Props): ReactElement {
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<NewApiKey | null>(null);
  const [revoked, setRevoked] = useState<ApiKey | null>(null);
  const query = usePages(["keys"], () => client.users.listApiKeys({ ...of, limit: 100 }), { refetchMs: 30_000 });
  return (
    <Section
      title="API keys"
      actions={
        <Button look="primary" onClick={() => setMaking(true)}>
          <Icon name="plus" size={13} />
          New key
        </Button>
      }
    >
      <Listed
        query={query}
        empty={
          <Empty title="No keys yet">
            <p>A program sends a key with each request. Give each program its own, with the rights that it needs.</p>
          </Empty>
        }
      >
        {(keys) => (
          <Table heads={["Name", "Rights", "Used", "Expires", ""]} caption="API keys">
            {keys.map((key) => (
              <Row key={key.id} apiKey={key} onRevoke={() => setRevoked(key)} />
            ))}
          </Table>
        )}
      </Listed>
      {isMaking && (
        <NewKey
          session={session}
          of={of}
          onClose={() => setMaking(false)}
          onMade={(key) => {
            setMaking(false);
            setMade(key);
          }}
        />
      )}
      {made && (
        <ShownOnce title="The new key" secret={made.key} onClose={() => setMade(null)}>
          Send it as <code>Authorization: Bearer …</code>.
        </ShownOnce>
      )}
      {revoked && <Revoke apiKey={revoked} onClose={() => setRevoked(null)} />}
    </Section>
  );
}

const Row = ({ apiKey, onRevoke }: { apiKey: ApiKey; onRevoke: () => void }): ReactElement => (
  <tr>
    <td>
      {apiKey.name ?? <span className="num dim">{apiKey.id.slice(0, 12)}…</span>}
      {apiKey.run_id && <span className="dim"> reads one run</span>}
    </td>
    <td className={`num ${styles.scopes}`}>{apiKey.run_id ? apiKey.run_id : apiKey.scopes.join(", ")}</td>
    <td>
      <Ago at={apiKey.last_used_at} />
    </td>
    <td>{apiKey.expires_at ? <Ago at={apiKey.expires_at} /> : <span className="dim">never</span>}</td>
    <td className={styles.act}>
      {apiKey.revoked_at ? (
        <span className="dim">
          revoked <Ago at={apiKey.revoked_at} />
        </span>
      ) : (
        <Button aria-label={`Revoke ${apiKey.name ?? apiKey.id}`} onClick={onRevoke}>
          Revoke…
        </Button>
      )}
    </td>
  </tr>
);

type NewKeyProps = Props & { onClose: () => void; onMade: (key: NewApiKey) => void };
type Scope = NonNullable<NonNullable<Parameters<typeof client.users.createApiKey>[0]["scopes"]>>[number];

const areas = [
  ...["agents", "runs", "threads", "daemons", "jobs", "hooks", "connections", "store"],
  ...["notifications", "billing", "studio", "users"],
];
const lives = { never: null, "30 days": 30, "90 days": 90, "a year": 365 } as const;
type Life = keyof typeof lives;

function NewKey({ session, of, onClose, onMade }: NewKeyProps): ReactElement {
  const [name, setName] = useState("");
  const may = (scope: string): boolean =>
    session.scopes.includes("*") || session.scopes.includes("admin") || session.scopes.includes(scope);
  const [scopes, setScopes] = useState<ReadonlySet<string>>(new Set(["*"].filter(may)));
  const [life, setLife] = useState<Life>("never");
  const make = useMutation({
    mutationFn: () => {
      const days = lives[life];
      const expires_at = days === null ? null : new Date(Date.now() + days * 86_400_000).toISOString();
      return client.users.createApiKey({ ...of, name: name || null, scopes: [...scopes] as Scope[], expires_at });
    },
    onSuccess: async (key) => {
      await renew(["keys"]);
      onMade(key);
    },
  });
  const offered = ["*", ...areas.flatMap((area) => [`${area}:read`, `${area}:write`]), "admin", "internal"].filter(
    (scope) => (scope === "admin" || scope === "internal" ? session.scopes.includes(scope) : may(scope)),
  );
  const toggle = (scope: string): void => {
    const next = new Set(scopes);
    if (!next.delete(scope)) next.add(scope);
    setScopes(next);
  };
  return (
    <AskDialog
      title="New API key"
      act="Make it"
      error={make.error}
      isPending={make.isPending || scopes.size === 0}
      onSubmit={() => make.mutate()}
      onClose={onClose}
    >
      <label>
        Name
        <input value={name} placeholder="what it is for" onChange={({ target }) => setName(target.value)} />
      </label>
      <label>
        Expires
        <select value={life} onChange={({ target }) => setLife(target.value as Life)}>
          {Object.keys(lives).map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <fieldset>
        <legend>Rights: * is everything with your own things</legend>
        {offered.map((scope) => (
          <label key={scope}>
            <input type="checkbox" checked={scopes.has(scope)} onChange={() => toggle(scope)} />
            <span className="num">{scope}</span>
          </label>
        ))}
      </fieldset>
    </AskDialog>
  );
}

function Revoke({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }): ReactElement {
  const revoke = useMutation({
    mutationFn: () => client.users.revokeApiKey(apiKey.id),
    onSuccess: async () => {
      await Promise.all([["keys"], ["sessions"], ["session"]].map((queryKey) => renew(queryKey)));
      onClose();
    },
  });
  return (
    <AskDialog
      title={`Revoke ${apiKey.name ?? "the key"}?`}
      act="Revoke it"
      look="danger"
      error={revoke.error}
      isPending={revoke.isPending}
      onSubmit={() => revoke.mutate()}
      onClose={onClose}
    >
      <p>Requests with it are refused from now on, and the sessions that it began end.</p>
    </AskDialog>
  );
}
