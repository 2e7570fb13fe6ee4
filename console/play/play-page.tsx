import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { type FormEvent, type ReactElement, useState } from "react";
import { type AgentVersion, InvalidError, type Run, type RunHandle } from "../../sdk/ts/index.ts";
import { client } from "../data/client.ts";
import { JsonField } from "../form/json-field.tsx";
import { reportUnread } from "../form/report-unread.ts";
import { fillBoxes, firstValue, resolve, type Schema } from "../form/schema.ts";
import { SchemaForm } from "../form/schema-form.tsx";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Failure, Loaded, Loading } from "../ui/states.tsx";
import { Commands } from "./commands.tsx";
import { LastInputs } from "./last-inputs.tsx";
import { Options, readFiles, type RunOptions, toRequest } from "./options.tsx";
import styles from "./play.module.css";
import { PlayedRun } from "./played-run.tsx";

type Input = Record<string, unknown>;

/** Runs an agent by hand: a form of its own schema, and what it says beside it. */
export function PlayPage(): ReactElement {
  const { id } = useParams({ from: "/agents/$id" });
  const { version = "current", from } = useSearch({ from: "/agents/$id/play" });
  const chosen = useQuery({
    queryKey: ["version", id, version],
    queryFn: () => client.versions.get(id, version),
  });
  const given = useQuery({
    queryKey: ["run", from ?? ""],
    queryFn: () => client.runs.get(from ?? ""),
    enabled: from !== undefined,
  });
  if (from !== undefined && given.isPending) return <Loading />;
  return (
    <>
      {given.error && <Failure error={given.error} />}
      <Loaded query={chosen}>
        {(found) => (
          // A version that becomes current meanwhile takes nothing away of what was filled in.
          <Play key={`${id} ${version} ${from}`} agentId={id} wanted={version} version={found} given={given.data} />
        )}
      </Loaded>
    </>
  );
}

type PlayProps = { agentId: string; wanted: string; version: AgentVersion; given: Run | undefined };

function Play({ agentId, wanted, version, given }: PlayProps): ReactElement {
  const schema = inputSchema(version);
  const [input, setInput] = useState<Input>(() => firstInput(schema, given));
  const [isJson, setJson] = useState(schema === null);
  const [options, setOptions] = useState<RunOptions>({});
  const [run, setRun] = useState<RunHandle | null>(null);
  // A version that became current meanwhile may ask for a box that the input lacks.
  const input_payload = schema === null || isJson ? input : fillBoxes(resolve(schema, schema), schema, input);
  const request = { agent_id: agentId, version: wanted, input_payload, ...toRequest(options) };
  const start = useMutation({
    mutationFn: async () => {
      const { agent_id, input_payload, ...more } = request;
      const files = await readFiles(options.files ?? []);
      const made = client.run(agent_id, input_payload, { ...more, files });
      // The run starts at once, though other pages may read all the streams that there are.
      await made.start();
      return made;
    },
    onSuccess: setRun,
  });
  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    if (!reportUnread(event.currentTarget)) start.mutate();
  }
  return (
    <div className={styles.play}>
      <form noValidate className={styles.input} onSubmit={submit}>
        <div className={styles.bar}>
          <VersionField agentId={agentId} version={version.version} wanted={wanted} />
          {schema && (
            <Button aria-pressed={isJson} onClick={() => setJson(!isJson)}>
              {isJson ? "Form" : "JSON"}
            </Button>
          )}
        </div>
        {isJson || !schema ? (
          <JsonField
            label="Input as JSON"
            rows={14}
            value={input}
            onChange={(next) => setInput((next ?? {}) as Input)}
          />
        ) : (
          <SchemaForm schema={schema} value={input} onChange={setInput} issues={issuesOf(start.error)} />
        )}
        {given && <NotTakenOver run={given} />}
        <Options options={options} onChange={setOptions} />
        {start.error && (
          <p role="alert" className="bad">
            {start.error.message}
          </p>
        )}
        <Button type="submit" look="primary" disabled={start.isPending}>
          <Icon name="play" size={13} />
          Run
        </Button>
        <LastInputs agentId={agentId} onChoose={setInput} />
        <Commands request={request} />
      </form>
      <div className={styles.stream}>
        {run ? (
          <PlayedRun key={run.id} run={run} />
        ) : (
          <p className={styles.hint}>What the agent says appears here, while it says it.</p>
        )}
      </div>
    </div>
  );
}

/** Says what the earlier run was given besides its input. */
function NotTakenOver({ run: { files, env_names, thread_id } }: { run: Run }): ReactElement | null {
  const parts = [
    ...(files.length > 0 ? ["files"] : []),
    ...(env_names.length > 0 ? ["environment variables"] : []),
    ...(thread_id === null ? [] : ["a thread"]),
  ];
  if (parts.length === 0) return null;
  return <p className="dim">The run had {parts.join(" and ")}, too, which are not taken over.</p>;
}

function VersionField({
  agentId,
  version,
  wanted,
}: {
  agentId: string;
  version: string;
  wanted: string;
}): ReactElement {
  const navigate = useNavigate();
  const { data } = useQuery({
    queryKey: ["version-names", agentId],
    queryFn: () => client.versions.list(agentId, { limit: 50 }).page(),
  });
  const names = [...new Set(["current", ...(data?.data ?? []).map((one) => one.version), wanted])];
  return (
    <label>
      Version{" "}
      <select
        value={wanted}
        onChange={({ target }) =>
          void navigate({
            to: "/agents/$id/play",
            params: { id: agentId },
            search: target.value === "current" ? {} : { version: target.value },
          })
        }
      >
        {names.map((name) => (
          <option key={name} value={name}>
            {name === "current" ? `current${wanted === "current" ? ` (${version})` : ""}` : name}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Null: the agent has no schema, or one that a form can't show. */
function inputSchema({ config }: AgentVersion): Schema | null {
  const schema = config["input_schema"] as Schema | undefined;
  return schema && resolve(schema, schema).properties ? schema : null;
}

function firstInput(schema: Schema | null, given: Run | undefined): Input {
  if (given) return given.input_payload as Input;
  return schema ? firstValue(resolve(schema, schema), schema) : {};
}

const issuesOf = (error: unknown): Record<string, string> =>
  error instanceof InvalidError
    ? Object.fromEntries(error.issues.map(({ place, message }) => [place.replace(/^input_payload\./, ""), message]))
    : {};
