import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { lazy, type ReactElement, Suspense, useState } from "react";
import type { AgentVersion } from "../../sdk/ts/index.ts";
import { client, renew } from "../data/client.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { JsonTree } from "../ui/json-tree.tsx";
import { Loaded } from "../ui/states.tsx";
import { type CodeFile, filesOf, withFiles } from "./code-files.ts";
import { CodeLines } from "./code-lines.tsx";
import styles from "./versions.module.css";

/** Loads the grammars (65 KB). Until they are there, and where they can't be loaded, code is plain. */
const ColouredCode = lazy(async () => {
  const loaded = await import("./coloured-code.tsx").catch(() => null);
  return { default: loaded?.ColouredCode ?? PlainCode };
});

const PlainCode = ({ file }: { file: CodeFile }): ReactElement => (
  <CodeLines name={file.name} lines={file.text.split("\n")} />
);

/** The code and the config of a version. What is edited here is published as another version. */
export function VersionPage(): ReactElement {
  const { id, version } = useParams({ from: "/agents/$id/versions/$version" });
  const query = useQuery({ queryKey: ["version", id, version], queryFn: () => client.versions.get(id, version) });
  return <Loaded query={query}>{(found) => <Files key={found.version} version={found} />}</Loaded>;
}

function Files({ version }: { version: AgentVersion }): ReactElement {
  const files = filesOf(version.config);
  const [open, setOpen] = useState(files[0]?.name ?? "");
  const [edited, setEdited] = useState<Record<string, string> | null>(null);
  const file = files.find(({ name }) => name === open);
  return (
    <>
      <div className={styles.bar}>
        <span>
          <span className="num">{version.version}</span> {version.current && <b className={styles.current}>current</b>}
        </span>
        <span className={styles.actions}>
          <Link
            to="/agents/$id/play"
            params={{ id: version.agent_id }}
            search={{ version: version.version }}
            className={buttonClass()}
          >
            Try it
          </Link>
          {edited ? (
            <Publish version={version} files={files} edited={edited} onLeave={() => setEdited(null)} />
          ) : (
            files.length > 0 && <Button onClick={() => setEdited({})}>Edit</Button>
          )}
        </span>
      </div>
      <div className={styles.files}>
        <nav aria-label="Files">
          {files.map(({ name }) => (
            <button key={name} type="button" aria-current={name === open} onClick={() => setOpen(name)}>
              {name}
              {edited?.[name] !== undefined && <span className="dim"> edited</span>}
            </button>
          ))}
          <button type="button" aria-current={open === ""} onClick={() => setOpen("")}>
            config
          </button>
        </nav>
        {file ? (
          <Code
            file={file}
            edited={edited && (edited[file.name] ?? file.text)}
            onEdit={(text) => setEdited({ ...edited, [file.name]: text })}
          />
        ) : (
          <JsonTree value={withoutCode(version.config)} label="config" />
        )}
      </div>
    </>
  );
}

type CodeProps = { file: CodeFile; edited: string | null; onEdit: (text: string) => void };

const Code = ({ file, edited, onEdit }: CodeProps): ReactElement =>
  edited === null ? (
    <ReadOnly file={file} />
  ) : (
    <textarea
      className={styles.editor}
      aria-label={`Edit ${file.name}`}
      spellCheck={false}
      value={edited}
      onChange={({ target }) => onEdit(target.value)}
    />
  );

/** The page stands still while a file is parsed: on a slow machine 0.15 s for as much as this. */
const longestColoured = 128 * 1024;

function ReadOnly({ file }: { file: CodeFile }): ReactElement {
  const plain = <PlainCode file={file} />;
  if (file.text.length > longestColoured) return plain;
  return (
    <Suspense fallback={plain}>
      <ColouredCode file={file} />
    </Suspense>
  );
}

type PublishProps = { version: AgentVersion; files: CodeFile[]; edited: Record<string, string>; onLeave: () => void };

function Publish({ version, files, edited, onLeave }: PublishProps): ReactElement {
  const { agent_id: id, config } = version;
  const navigate = useNavigate();
  const publish = useMutation({
    mutationFn: () => client.versions.create(id, { config: withFiles(config, files, edited) }),
    onSuccess: async (published) => {
      await renew(["versions", id]);
      await navigate({ to: "/agents/$id/versions/$version", params: { id, version: published.version } });
    },
  });
  return (
    <>
      {publish.error && (
        <span role="alert" className="bad">
          {publish.error.message}
        </span>
      )}
      <Button onClick={onLeave}>Leave it</Button>
      <Button
        look="primary"
        disabled={publish.isPending || Object.keys(edited).length === 0}
        onClick={() => publish.mutate()}
      >
        Publish as a new version
      </Button>
    </>
  );
}

const withoutCode = ({ source: _source, files: _files, ...config }: Record<string, unknown>): Record<string, unknown> =>
  config;
