import type { OpenInterrupt, RunEvent } from "../../../shared/schemas/run-event.ts";
import { failureOf } from "../../stream/projections/event-facts.ts";
import { dispatch, type EventOf, onFailure } from "../../stream/projections/projection.ts";
import { restateStanding } from "../../stream/projections/skip-repeats.ts";
import { spokenResult, spokenText } from "../../stream/projections/speech.ts";
import { resultOf } from "../rpc-response.ts";
import type { RpcId } from "../rpc-id.ts";
import type { RunCall } from "./call-cursor.ts";
import { elicitationOf } from "./elicitation.ts";

type Translating = RunCall & {
  /** True when the client can ask its user. */
  canAsk: boolean;
  /** The interrupts that were answered before the stream began. */
  answered: ReadonlySet<string>;
  /** Before the paths of the service's own URLs. */
  base: string;
};

export type CallTranslation = {
  /** Returns the messages that an event becomes. */
  push(event: RunEvent): object[];
  /** True when the call has its answer. */
  isAnswered(): boolean;
};

/** The id of a question to the client's user. Its answer may reach any API process, which finds the run by it. */
const questionId = (run_id: string, interrupt_id: string): string => `${run_id}/${interrupt_id}`;

export function readQuestionId(id: RpcId): { run_id: string; interrupt_id: string } | null {
  const [run_id, interrupt_id, ...more] = String(id).split("/");
  return run_id && interrupt_id && more.length === 0 ? { run_id, interrupt_id } : null;
}

/** A tool's result (modelcontextprotocol.io, "Tools"). */
export const toolError = (text: string, meta: object = {}): object => ({
  content: [{ type: "text", text }],
  isError: true,
  ...meta,
});

/** Translates a run into the messages of the tool call that made it: progress, questions and the result. */
export function translateCall({
  run_id,
  rpc_id,
  progress_token,
  canAsk,
  answered,
  base,
}: Translating): CallTranslation {
  const progress = startProgress(progress_token);
  const meta = { _meta: { "runfleet/run_id": run_id } };
  let said: Said[] = [];
  let files: object[] = [];
  let isOver = false;

  function answer(result: object): object[] {
    isOver = true;
    return [resultOf(rpc_id, result)];
  }
  function succeed({ result_content: result }: EventOf<"run.success">): object[] {
    const text = spokenResult(result);
    const hasSaid = said.length > 0;
    const last: Said[] =
      result === null || (hasSaid && text !== null) ? [] : [text === null ? { data: result } : { text }];
    const content = [...said, ...last].map((part) => ({
      type: "text",
      text: "text" in part ? part.text : JSON.stringify(part.data),
    }));
    const isData = typeof result === "object" && result !== null && !Array.isArray(result) && text === null;
    return answer({ content: [...content, ...files], ...(isData ? { structuredContent: result } : {}), ...meta });
  }
  function ask(interrupts: OpenInterrupt[]): object[] {
    const open = interrupts.filter(({ id }) => !answered.has(id));
    if (canAsk)
      return open.map((interrupt) => ({
        jsonrpc: "2.0",
        id: questionId(run_id, interrupt.id),
        method: "elicitation/create",
        params: elicitationOf(interrupt),
      }));
    const questions = open.map(({ message, reason }) => message ?? reason).join("\n");
    const how = `This client can't ask its user. Answer with the tool resume_run of /mcp/manage, or POST /v1/runs/${run_id}/resume.`;
    return open.length === 0 ? [] : answer(toolError(`The agent asks: ${questions}\n${how}`, meta));
  }

  const handlers = {
    "run.started": ({ discards }: EventOf<"run.started">) => {
      if (discards) [said, files] = [[], []];
      return [];
    },
    "run.waiting": ({ queue }: EventOf<"run.waiting">) =>
      progress.report(null, `waiting${queue.wait_reason === null ? "" : `: ${queue.wait_reason}`}`),
    "output.delta": ({ content }: EventOf<"output.delta">) => {
      say(said, content);
      return [];
    },
    progress: ({ value, message }: EventOf<"progress">) => progress.report(value, message),
    "tool.start": ({ name }: EventOf<"tool.start">) => progress.report(null, name),
    "tool.end": ({ error }: EventOf<"tool.end">) => (error === null ? [] : progress.report(null, error)),
    artifact: ({ name, mime, size, url }: EventOf<"artifact">) => {
      files.push({ type: "resource_link", uri: base + url, name, mimeType: mime, size });
      return [];
    },
    "run.interrupted": ({ interrupts }: EventOf<"run.interrupted">) => ask(interrupts),
    "run.success": succeed,
    ...onFailure((event) => answer(toolError(failureOf(event).message, meta))),
  };
  return {
    push: restateStanding((event) => (isOver ? [] : dispatch(handlers, event, () => []))),
    isAnswered: () => isOver,
  };
}

type Said = { text: string } | { data: unknown };

/** Adds an output to what was said before, in place: a run says a hundred thousand of them. Texts in a row are one text. */
function say(said: Said[], content: unknown): void {
  const text = spokenText(content);
  const last = said.at(-1);
  if (text === null) said.push({ data: content });
  else if (last && "text" in last) last.text += text;
  else said.push({ text });
}

/** The protocol demands that each progress is larger than the one before, also where the agent reports a text only. */
const least = 1e-6;

function startProgress(progressToken: RpcId | null) {
  let last = 0;
  return {
    report(value: number | null, message: string | null): object[] {
      last = Math.max(value ?? 0, last + least);
      if (progressToken === null) return [];
      const params = { progressToken, progress: last, total: 1, ...(message === null ? {} : { message }) };
      return [{ jsonrpc: "2.0", method: "notifications/progress", params }];
    },
  };
}
