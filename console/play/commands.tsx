import { type ReactElement, useState } from "react";
import { Copy } from "../ui/copy.tsx";
import styles from "./play.module.css";

type Request = { agent_id: string; version: string; input_payload: Record<string, unknown> } & Record<string, unknown>;

/** The same run from elsewhere. Environment variables may be secret, and are named only. */
export function Commands({ request }: { request: Request }): ReactElement {
  const [language, setLanguage] = useState<keyof typeof writers>("curl");
  const text = writers[language](request);
  return (
    <section aria-label="The same elsewhere" className={styles.commands}>
      <div role="group" aria-label="Language">
        {(Object.keys(writers) as (keyof typeof writers)[]).map((name) => (
          <button key={name} type="button" aria-pressed={name === language} onClick={() => setLanguage(name)}>
            {name}
          </button>
        ))}
        <Copy text={text} label="Copy the command" />
      </div>
      <pre tabIndex={0}>{text}</pre>
    </section>
  );
}

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const json = (value: unknown): string => JSON.stringify(value);

const writers = {
  curl: ({ env_vars: _secret, ...request }: Request) =>
    `curl -N ${location.origin}/v1/execute \\\n  -H 'Authorization: Bearer '"$RUNFLEET_API_KEY" \\\n  -H 'Content-Type: application/json' \\\n  -d ${quote(json(request))}`,
  CLI: ({ agent_id, version, input_payload }: Request) =>
    `echo ${quote(json(input_payload))} | \\\n  runfleet run ${agent_id}${version === "current" ? "" : `@${version}`} -f -`,
  TypeScript: ({ agent_id, version, input_payload }: Request) =>
    `const run = client.run(${json(agent_id)}, ${json(input_payload)}, { version: ${json(version)} });\nfor await (const text of run.text()) process.stdout.write(text);`,
  Python: ({ agent_id, version, input_payload }: Request) =>
    `run = client.run(${json(agent_id)}, json.loads(${json(json(input_payload))}), version=${json(version)})\nfor text in run.text():\n    print(text, end="")`,
};
