import type { ReactElement } from "react";
import { JsonField } from "../form/json-field.tsx";
import styles from "./play.module.css";

/** What a run may be given beside its input. */
export type RunOptions = {
  thread_id?: string | undefined;
  env_vars?: Record<string, string> | undefined;
  timeout_s?: number | undefined;
  files?: Record<string, string> | undefined;
};

export function toRequest({ timeout_s, ...rest }: RunOptions): Omit<RunOptions, "timeout_s"> & { timeout_ms?: number } {
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)) as RunOptions;
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
        onChange={({ target }) => void readFiles(target.files).then((files) => onChange({ ...options, files }))}
      />
    </label>
  </details>
);

/** Returns the files by name, each as a data URL. */
async function readFiles(list: FileList | null): Promise<Record<string, string> | undefined> {
  const files = [...(list ?? [])];
  if (files.length === 0) return undefined;
  return Object.fromEntries(await Promise.all(files.map(async (file) => [file.name, await dataUrlOf(file)] as const)));
}

const dataUrlOf = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(typeof reader.result === "string" ? reader.result : ""));
    reader.addEventListener("error", () => reject(reader.error ?? new Error(`${file.name} can't be read.`)));
    reader.readAsDataURL(file);
  });
