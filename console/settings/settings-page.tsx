import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { type FormEvent, type ReactElement, useState } from "react";
import type { Agent, AgentSecret, PublishedVersion } from "../../sdk/ts/index.ts";
import { client, renew } from "../data/client.ts";
import { SchemaForm } from "../form/schema-form.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog, DialogButtons } from "../ui/dialog.tsx";
import { Section } from "../ui/page.tsx";
import { Loaded } from "../ui/states.tsx";
import { Table } from "../ui/table.tsx";
import { Ago } from "../ui/time.tsx";
import { fromSettings, settingsSchema, toSettings } from "./settings-schema.ts";
import styles from "./settings.module.css";

/** An agent's secrets, its limits, and its end. */
export function SettingsPage(): ReactElement {
  const { id } = useParams({ from: "/agents/$id" });
  const query = useQuery({ queryKey: ["agent", id], queryFn: () => client.agents.get(id) });
  return (
    <div className={styles.settings}>
      <Secrets id={id} />
      <Loaded query={query}>
        {(agent) => (
          <>
            <Limits key={agent.id} agent={agent} />
            <Removal agent={agent} />
          </>
        )}
      </Loaded>
    </div>
  );
}

function Secrets({ id }: { id: string }): ReactElement {
  const query = useQuery({ queryKey: ["secrets", id], queryFn: () => client.agents.listSecrets(id) });
  return (
    <Section title="Secrets">
      <p className={styles.about}>
        A run gets a secret as an environment variable when its version's config names it. Values are sealed: nobody can
        read them here.
      </p>
      <Loaded query={query}>
        {({ data }) =>
          data.length > 0 && (
            <Table heads={["Name", "For", "Set#", ""]} caption="Secrets">
              {data.map((secret) => (
                <Secret key={`${secret.name} ${secret.tag}`} id={id} secret={secret} />
              ))}
            </Table>
          )
        }
      </Loaded>
      <NewSecret id={id} />
    </Section>
  );
}

function Secret({ id, secret }: { id: string; secret: AgentSecret }): ReactElement {
  const remove = useMutation({
    mutationFn: () => client.agents.deleteSecret(id, secret.name, secret.tag === null ? {} : { tag: secret.tag }),
    onSettled: () => renew(["secrets", id]),
  });
  return (
    <tr>
      <td className="num">{secret.name}</td>
      <td>{secret.tag === null ? "all versions" : `versions with the tag ${secret.tag}`}</td>
      <td className="num">
        <Ago at={secret.updated_at} />
      </td>
      <td>
        {remove.error && (
          <span role="alert" className="bad">
            {remove.error.message}{" "}
          </span>
        )}
        <Button
          look="quiet"
          aria-label={`Delete the secret ${secret.name}`}
          disabled={remove.isPending}
          onClick={() => remove.mutate()}
        >
          Delete
        </Button>
      </td>
    </tr>
  );
}

function NewSecret({ id }: { id: string }): ReactElement {
  const [name, setName] = useState("");
  const [value, setValue] = useState("");
  const put = useMutation({
    mutationFn: () => client.agents.putSecret(id, name, { value }),
    onSuccess: () => {
      setName("");
      setValue("");
      return renew(["secrets", id]);
    },
  });
  function submit(event: FormEvent): void {
    event.preventDefault();
    put.mutate();
  }
  return (
    <form className={styles.secret} onSubmit={submit}>
      <label>
        Name
        <input
          required
          autoComplete="off"
          placeholder="OPENAI_API_KEY"
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
      </label>
      <label>
        Value
        <input
          required
          type="password"
          autoComplete="off"
          value={value}
          onChange={({ target }) => setValue(target.value)}
        />
      </label>
      <Button type="submit" look="primary" disabled={put.isPending}>
        Set
      </Button>
      {put.error && (
        <p role="alert" className="bad">
          {put.error.message}
        </p>
      )}
    </form>
  );
}

type Edited = { of: Agent; settings: Record<string, unknown> };

/** A version never changes: other limits are another version. */
function Limits({ agent }: { agent: Agent }): ReactElement {
  // What was edited stays, with the version that it was edited of, when another one becomes current meanwhile.
  const [edited, setEdited] = useState<Edited | null>(null);
  const { of, settings } = edited ?? { of: agent, settings: toSettings(agent.config) };
  const publish = useMutation({
    mutationFn: () => publishSettings(of, settings),
    onSuccess: async () => {
      await renew();
      setEdited(null);
    },
  });
  function submit(event: FormEvent): void {
    event.preventDefault();
    publish.mutate();
  }
  return (
    <Section title="Limits">
      <form className={styles.limits} onSubmit={submit}>
        <SchemaForm schema={settingsSchema} value={settings} onChange={(next) => setEdited({ of, settings: next })} />
        {publish.error && (
          <p role="alert" className="bad">
            {publish.error.message}
          </p>
        )}
        {publish.data?.version === agent.current_version && (
          <p role="status">
            Version <span className="num">{publish.data.version}</span> is current.
          </p>
        )}
        <Button type="submit" look="primary" disabled={publish.isPending}>
          Publish with these limits
        </Button>
      </form>
    </Section>
  );
}

/** Another version that has become current meanwhile is not replaced. */
async function publishSettings(shown: Agent, settings: Record<string, unknown>): Promise<PublishedVersion> {
  const { config, current_version } = await client.agents.get(shown.id);
  if (current_version !== shown.current_version)
    throw new Error(
      `Nothing was published: version ${current_version} has become current since this page was opened. Load the page anew to change its limits.`,
    );
  return client.versions.create(shown.id, { config: fromSettings(config, settings), make_current: true });
}

function Removal({ agent }: { agent: Agent }): ReactElement {
  const [isAsking, setAsking] = useState(false);
  const [typed, setTyped] = useState("");
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => client.agents.delete(agent.id),
    onSuccess: () => navigate({ to: "/agents" }),
  });
  return (
    <Section title="Delete the agent">
      <p className={styles.about}>
        Its versions and secrets go with it. Runs that have ended stay until their retention is over.
      </p>
      <Button look="danger" className={styles.remove ?? ""} onClick={() => setAsking(true)}>
        Delete…
      </Button>
      {isAsking && (
        <Dialog title={`Delete ${agent.name}?`} onClose={() => setAsking(false)}>
          <label className={styles.confirm}>
            <span>
              Type <b className="num">{agent.id}</b> to go on.
            </span>
            <input value={typed} autoComplete="off" onChange={({ target }) => setTyped(target.value)} />
          </label>
          {remove.error && (
            <p role="alert" className="bad">
              {remove.error.message}
            </p>
          )}
          <DialogButtons>
            <Button onClick={() => setAsking(false)}>Leave it</Button>
            <Button look="danger" disabled={typed !== agent.id || remove.isPending} onClick={() => remove.mutate()}>
              Delete {agent.name}
            </Button>
          </DialogButtons>
        </Dialog>
      )}
    </Section>
  );
}
