import type { ReactElement } from "react";
import { JsonField } from "../form/json-field.tsx";
import styles from "./play.module.css";

/** What a run may be given beside its input. */
export type RunOptions = {
  thread_id?: string | undefined;
  env_vars?: Record<string, string> | undefined;
  timeout_s?: number | undefined;
  files?: File[];
};

type Given = Pick<RunOptions, "thread_id" | "env_vars"> & { timeout_ms?: number };

/** Returns the options as a request has them, without the files: they are read when the run is started. */
export function toRequest({ timeout_s, files: _files, ...rest }: RunOptions): Given {
  const given: Given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  return timeout_s === undefined ? given : { ...given, timeout_ms: timeout_s * 1_000 };
}

type Props = { options: RunOptions; onChange: (options: RunOptions) => void };

export const Options = ({ options, onChange }: Props): ReactElement => (
  <details className={styles.options}>
    <summary>Thread, environment, files, time limit</summary>
    <label>
      Thread
      <input
        value={options.thread_id ?? ""}
        placeholder="none"
        onChange={({ target }) => onChange({ ...options, thread_id: target.value === "" ? undefined : target.value })}
      />
    </label>
    <label>
      Time limit in seconds
      <input
        type="number"
        min={1}
        value={options.timeout_s ?? ""}
        onChange={({ target }) =>
          onChange({ ...options, timeout_s: target.value === "" ? undefined : target.valueAsNumber })
        }
      />
    </label>
    <div>
      <span>Environment variables, as a JSON object</span>
      <JsonField
        label="Environment variables, as a JSON object"
        rows={3}
        value={options.env_vars}
        onChange={(value) => onChange({ ...options, env_vars: value as Record<string, string> | undefined })}
      />
    </div>
    <label className={styles.files}>
      Files
      <input
        type="file"
        multiple
        onChange={({ target }) => onChange({ ...options, files: [...(target.files ?? [])] })}
      />
    </label>
  </details>
);

/** Returns the files by name. */
export async function readFiles(files: readonly File[]): Promise<Record<string, ArrayBuffer>> {
  return Object.fromEntries(await Promise.all(files.map(async (file) => [file.name, await bytesOf(file)] as const)));
}

async function bytesOf(file: File): Promise<ArrayBuffer> {
  try {
    return await file.arrayBuffer();
  } catch (error) {
    throw new Error(`The file ${file.name} can't be read. Choose it again.`, { cause: error });
  }
}
