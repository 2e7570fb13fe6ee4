import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FormEvent, type ReactElement, useState } from "react";
import type { RunHandle } from "../../sdk/ts/index.ts";
import { client } from "../data/client.ts";
import { useSession } from "../data/session.ts";
import { useRunStream } from "../data/use-run-stream.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Copy } from "../ui/copy.tsx";
import { Icon } from "../ui/icon.tsx";
import { Page } from "../ui/page.tsx";
import { Failure } from "../ui/states.tsx";
import styles from "./welcome.module.css";

const firstCode = `import time

def main(name: str = "you", context=None):
    with context.tool("look_up", {"name": name}) as call:
        time.sleep(0.3)
        call.result = {"known": True}
    for word in f"Hello, {name}. This came from a sandbox.".split():
        yield word + " "
        time.sleep(0.15)
    return {"greeted": name}
`;

/** Three ways to a first run. The first is on this page. */
export function WelcomePage(): ReactElement {
  const user_id = useSession().data?.user_id ?? "";
  return (
    <Page title="Make an agent">
      <div className={styles.ways}>
        <Here />
        <Elsewhere
          title="From a folder"
          text="With the command line: code and an example input, published as you save. docs/cli.md of the repository says how to install it."
          commands={["runfleet init my-agent", "cd my-agent && runfleet dev -f input.json"]}
        />
        <Elsewhere
          title="From anywhere"
          text="Any program that speaks HTTP can publish and run agents."
          commands={[
            `curl ${location.origin}/v1/agents -H 'Authorization: Bearer '"$RUNFLEET_API_KEY" -H 'Content-Type: application/json' -d '{"id":"hello","name":"hello","user_id":"${user_id}","config":{"source":"def main(name): return {\\"greeted\\": name}"}}'`,
            `curl -N ${location.origin}/v1/execute -H 'Authorization: Bearer '"$RUNFLEET_API_KEY" -H 'Content-Type: application/json' -d '{"agent_id":"hello","version":"current","input_payload":{"name":"Ada"}}'`,
          ]}
        />
      </div>
    </Page>
  );
}

function Here(): ReactElement {
  const session = useSession();
  const [name, setName] = useState("hello");
  const [source, setSource] = useState(firstCode);
  const [run, setRun] = useState<RunHandle | null>(null);
  const make = useMutation({
    mutationFn: async () => {
      const user_id = session.data?.user_id ?? "";
      const { id } = await client.agents.create({
        user_id,
        id: slug(name),
        name,
        config: { source },
        make_current: true,
      });
      const made = client.run(id, {});
      await made.start();
      return made;
    },
    onSuccess: setRun,
  });
  function submit(event: FormEvent): void {
    event.preventDefault();
    make.mutate();
  }
  return (
    <form className={styles.here} onSubmit={submit}>
      <h2>Here</h2>
      <p className="dim">Write Python, publish it as an agent, and see its first run below.</p>
      <label>
        Name
        <input required value={name} onChange={({ target }) => setName(target.value)} />
      </label>
      <label>
        Code
        <textarea rows={12} spellCheck={false} value={source} onChange={({ target }) => setSource(target.value)} />
      </label>
      <Button type="submit" look="primary" disabled={make.isPending}>
        <Icon name="play" size={13} />
        Publish and run
      </Button>
      {make.error && <Failure error={make.error} />}
      {run && <FirstRun key={run.id} run={run} agentId={slug(name)} />}
    </form>
  );
}

/** An id that is easy to type. */
const slug = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");

function FirstRun({ run, agentId }: { run: RunHandle; agentId: string }): ReactElement {
  const { text, failure, isReading, count } = useRunStream(run, undefined);
  if (failure !== null) return <Failure error={failure} />;
  return (
    <section aria-label="The first run" className={styles.first}>
      <p aria-live="polite">{text || (isReading ? "Starting…" : "")}</p>
      {count > 0 && !isReading && (
        <p>
          <Link to="/runs/$id" params={{ id: run.id }} className={buttonClass()}>
            Look at the run
          </Link>{" "}
          <Link to="/agents/$id/play" params={{ id: agentId }} className={buttonClass()}>
            Run it again with other input
          </Link>
        </p>
      )}
    </section>
  );
}

type ElsewhereProps = { title: string; text: string; commands: string[] };

const Elsewhere = ({ title, text, commands }: ElsewhereProps): ReactElement => (
  <section className={styles.elsewhere} aria-label={title}>
    <h2>{title}</h2>
    <p className="dim">{text}</p>
    {commands.map((command) => (
      <div key={command} className={styles.command}>
        <pre tabIndex={0}>{command}</pre>
        <Copy text={command} label="Copy the command" />
      </div>
    ))}
  </section>
);
