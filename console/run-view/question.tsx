import { useMutation } from "@tanstack/react-query";
import { type FormEvent, type ReactElement, useState } from "react";
import { ApiError, InvalidError, type Run } from "../../sdk/ts/index.ts";
import { client, renew } from "../data/client.ts";
import { JsonField } from "../form/json-field.tsx";
import { reportUnread } from "../form/report-unread.ts";
import { firstValue, type Schema } from "../form/schema.ts";
import { SchemaForm } from "../form/schema-form.tsx";
import { Button } from "../ui/button.tsx";
import { Ago } from "../ui/time.tsx";
import styles from "./run-view.module.css";

type Props = { runId: string; interrupt: Run["interrupts"][number]; onAnswered?: () => void };

/** What a run asks a person. The answer goes to the same run, which goes on. */
export function Question({ runId, interrupt, onAnswered }: Props): ReactElement {
  const schema = interrupt.response_schema as Schema | null;
  const [answer, setAnswer] = useState<unknown>(() => (schema?.properties ? firstValue(schema, schema) : undefined));
  const send = useMutation({
    mutationFn: () => client.runs.resume(runId, { response: answer, interrupt_id: interrupt.id }),
    ...(onAnswered && { onSuccess: onAnswered }),
    onSettled: () => renew(["run", runId]),
  });
  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    if (reportUnread(event.currentTarget)) return;
    if (answer === undefined) event.currentTarget.reportValidity();
    else send.mutate();
  }
  return (
    <form noValidate className={styles.question} onSubmit={submit}>
      <h2>{interrupt.message ?? interrupt.reason}</h2>
      <p className="dim">
        Expires <Ago at={interrupt.expires_at} />
      </p>
      {schema?.properties ? (
        <SchemaForm
          schema={schema}
          value={(answer as Record<string, unknown> | undefined) ?? {}}
          onChange={setAnswer}
          issues={issuesOf(send.error)}
        />
      ) : (
        <PlainAnswer schema={schema} value={answer} onChange={setAnswer} />
      )}
      {send.error && (
        <p role="alert" className="bad">
          {send.error instanceof ApiError ? send.error.message : "The answer could not be sent. Try again."}
        </p>
      )}
      <Button type="submit" look="primary" disabled={send.isPending}>
        Answer
      </Button>
    </form>
  );
}

type PlainProps = { schema: Schema | null; value: unknown; onChange: (value: unknown) => void };

/** Without a schema an answer is a text; with one that is no object, JSON. */
function PlainAnswer({ schema, value, onChange }: PlainProps): ReactElement {
  if (schema && schema.type !== "string")
    return <JsonField required label="Answer as JSON" value={value} onChange={onChange} />;
  return (
    <textarea
      aria-label="Answer"
      rows={3}
      required
      value={typeof value === "string" ? value : ""}
      onChange={({ target }) => onChange(target.value === "" ? undefined : target.value)}
    />
  );
}

const issuesOf = (error: unknown): Record<string, string> =>
  error instanceof InvalidError
    ? Object.fromEntries(error.issues.map(({ place, message }) => [place.replace(/^response\./, ""), message]))
    : {};
