import { useMutation, useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, type ReactElement, useState } from "react";
import type { Thread } from "../../sdk/ts/index.ts";
import { client } from "../data/client.ts";
import { Button } from "../ui/button.tsx";
import styles from "./threads.module.css";

type Props = { thread: Thread; agentId: string | null; lastInput: unknown; onSent: () => void };

/** The next turn. Enter sends it, Shift and Enter begin a line. */
export function Composer({ thread, agentId, lastInput, onSent }: Props): ReactElement | null {
  const [text, setText] = useState("");
  const { data: agent } = useQuery({
    queryKey: ["agent", agentId ?? ""],
    queryFn: () => client.agents.get(agentId ?? ""),
    enabled: agentId !== null,
  });
  const field = textField(agent?.config["input_schema"], lastInput);
  const send = useMutation({
    mutationFn: () => client.run(agentId ?? "", { [field]: text }, { thread_id: thread.id }).start(),
    onSuccess: () => {
      setText("");
      onSent();
    },
  });
  const sendOnEnter = (event: KeyboardEvent): void => {
    // The Enter that ends a composition belongs to the input method.
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (!event.repeat && !send.isPending && text.trim() !== "") send.mutate();
  };
  if (agentId === null) return null;
  return (
    <form
      className={styles.composer}
      onSubmit={(event) => {
        event.preventDefault();
        send.mutate();
      }}
    >
      {send.error && (
        <p role="alert" className="bad">
          {send.error.message}
        </p>
      )}
      <textarea
        aria-label={`Say something to ${agentId}`}
        placeholder={`Say something to ${agentId}, as its input's field “${field}”`}
        rows={2}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={sendOnEnter}
      />
      <Button type="submit" look="primary" disabled={send.isPending || text.trim() === ""}>
        Send
      </Button>
    </form>
  );
}

const usual = ["message", "text", "question", "prompt", "query", "input"];

type Properties = Record<string, { type?: unknown }>;

/** Returns the field of the input that a text goes to: as the agent's schema has it, or as the last turn had. */
function textField(schema: unknown, lastInput: unknown): string {
  const properties = (schema as { properties?: Properties } | undefined)?.properties ?? {};
  const texts = Object.keys(properties).filter((name) => properties[name]?.type === "string");
  const given = Object.entries(lastInput ?? {}).flatMap(([name, value]) => (typeof value === "string" ? [name] : []));
  const names = texts.length > 0 ? texts : given;
  return names.find((name) => usual.includes(name)) ?? names[0] ?? "message";
}
