import { aiMessage, type Message, type ToolCall, toolMessage } from "./messages.ts";

/** A message of the agent that still grows. */
type OpenMessage = { id: string; content: string; calls: ToolCall[]; size: number; shown: number };

/** What one attempt of a run says, as LangChain's messages: text and tool calls, a tool's answer, text again. */
export type Conversation = {
  /** The messages that are complete. */
  readonly said: readonly Message[];
  /** True when nothing was said, not even in part. */
  isSilent(): boolean;
  /** Adds text to the open message. Returns its id, and whether the text began it. */
  say(text: string): { id: string; begins: boolean };
  /** Adds a tool call to the open message. Returns its id and the number of the call in it. */
  call(call: ToolCall): { id: string; begins: boolean; index: number };
  /** Returns the open message when it has grown enough to be shown again as a whole, else null. */
  grown(): Message | null;
  /** Completes the open message. Null: none is open. */
  close(): Message | null;
  /** Adds a tool's answer. */
  answer(call_id: string, result: unknown, error: string | null): Message;
};

/** Ids begin with `prefix`, so that the messages of another attempt are others. */
export function startConversation(prefix: string): Conversation {
  const said: Message[] = [];
  const names = new Map<string, string>();
  let open: OpenMessage | null = null;
  const nextId = () => `${prefix}-${said.length + 1}`;
  const whole = ({ id, content, calls }: OpenMessage) => aiMessage(id, content, [...calls]);
  const begin = (): { message: OpenMessage; begins: boolean } => {
    const begins = open === null;
    const message = open ?? { id: nextId(), content: "", calls: [], size: 0, shown: 0 };
    open = message;
    return { message, begins };
  };
  return {
    said,
    isSilent: () => said.length === 0 && open === null,
    say(text) {
      const { message, begins } = begin();
      message.content += text;
      message.size += text.length;
      return { id: message.id, begins };
    },
    call(call) {
      const { message, begins } = begin();
      names.set(call.id, call.name);
      message.size += JSON.stringify(call).length;
      return { id: message.id, begins, index: message.calls.push(call) - 1 };
    },
    grown() {
      // A whole message per delta would cost the square of its length.
      if (open === null || open.size - open.shown < open.shown / 16) return null;
      open.shown = open.size;
      return whole(open);
    },
    close() {
      if (open === null) return null;
      const message = whole(open);
      open = null;
      said.push(message);
      return message;
    },
    answer(call_id, result, error) {
      const message = toolMessage({ id: nextId(), call_id, name: names.get(call_id) ?? "tool", result, error });
      said.push(message);
      return message;
    },
  };
}
