import { z } from "zod";
import { notFound } from "../../../shared/domain/errors/app-error.ts";
import { ValidationFault } from "../../../shared/domain/errors/validation-fault.ts";
import { type ExecuteRequest, executeRequest } from "../../../shared/schemas/execute-request.ts";
import { choice, laxBool, laxFloat, metadataObject, text } from "../../../shared/schemas/primitives.ts";
import { resolveVersion } from "../../../shared/store/agents/resolve-version.ts";
import type { Db } from "../../../shared/store/client.ts";
import type { Owner } from "../../../shared/store/owned-by.ts";
import { readExecuteRequest } from "../read-execute-request.ts";
import { notSupported } from "./define-route.ts";
import { checkpoint } from "./thread-state.ts";

const ignored = z.unknown().optional();

/** What LangGraph's clients send to start a run. Fields that tune how a graph stores its steps have no effect. */
export const runBody = z.object({
  assistant_id: text({ min: 1, max: 512 }),
  input: z.unknown().optional(),
  command: z.looseObject({ resume: z.unknown().optional(), update: ignored, goto: ignored }).nullish(),
  metadata: metadataObject().nullish(),
  config: z.unknown().optional(),
  context: z.unknown().optional(),
  webhook: text({ max: 2048 }).nullish(),
  checkpoint: checkpoint.nullish(),
  checkpoint_id: text({ max: 512 }).nullish(),
  interrupt_before: z.unknown().optional(),
  interrupt_after: z.unknown().optional(),
  stream_mode: z.unknown().optional(),
  multitask_strategy: choice(["reject", "interrupt", "rollback", "enqueue"]).nullish(),
  if_not_exists: choice(["create", "reject"]).nullish(),
  on_disconnect: choice(["cancel", "continue"]).nullish(),
  on_completion: choice(["delete", "keep", "complete", "continue"]).nullish(),
  after_seconds: laxFloat({ ge: 0 }).nullish(),
  stream_subgraphs: laxBool().nullish(),
  stream_resumable: laxBool().nullish(),
  feedback_keys: ignored,
  durability: ignored,
  checkpoint_during: ignored,
  langsmith_tracer: ignored,
});
export type RunBody = z.output<typeof runBody>;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isGiven = (value: unknown): boolean =>
  value != null && value !== "" && !(typeof value === "object" && Object.keys(value).length === 0);

/** Fields of `configurable` that LangGraph's own clients fill, and that say nothing to an agent. */
const ownConfigurable =
  /^(thread_id|run_id|user_id|assistant_id|graph_id|user-agent|checkpoint_.*|x-.*|langgraph_.*|__.*)$/i;

/** Throws ValidationFault for what can't be done here, rather than to leave it out without a word. */
export function refuseUnsupported(
  body: Pick<RunBody, "config" | "context" | "interrupt_before" | "interrupt_after" | "after_seconds" | "command">,
): void {
  for (const field of ["interrupt_before", "interrupt_after"] as const)
    if (isGiven(body[field])) throw notSupported(field, "An agent is one node. It asks by itself, with interrupt().");
  if (isGiven(body.context))
    throw notSupported("context", "An agent gets its input only. Put the context into the input.");
  const configurable = isObject(body.config) ? body.config["configurable"] : null;
  const unknown = isObject(configurable) ? Object.keys(configurable).filter((name) => !ownConfigurable.test(name)) : [];
  if (unknown.length > 0)
    throw notSupported(
      "config",
      `An agent gets its input only. Put '${unknown[0]}' into the input, or into the agent's config.`,
    );
  if (body.after_seconds)
    throw notSupported("after_seconds", "A run starts at once. Use a cron, or POST /v1/jobs with a time.");
  for (const field of ["update", "goto"] as const)
    if (isGiven(body.command?.[field]))
      throw notSupported(
        "command",
        `An agent has no nodes, so there is no command '${field}'. Set the state with threads.updateState.`,
      );
}

/** Returns the agent and version that an assistant id names: `agent`, `agent@tag` or `agent@1.2.0`. An agent's id may have an @. */
async function readAssistantId(db: Db, id: string, owner: Owner): Promise<{ agent_id: string; version: string }> {
  const at = id.lastIndexOf("@");
  const whole = { agent_id: id, version: "current" };
  if (at < 1 || at === id.length - 1) return whole;
  const isAgent = !("missing" in (await resolveVersion(db, id, "current", owner)));
  return isAgent ? whole : { agent_id: id.slice(0, at), version: id.slice(at + 1) };
}

/** Returns the execute request of a run. Throws ValidationFault. */
export async function toExecuteRequest(
  db: Db,
  body: Pick<RunBody, "assistant_id" | "input" | "webhook" | "metadata">,
  thread_id: string | null,
  owner: Owner,
): Promise<ExecuteRequest> {
  const input_payload = body.input ?? {};
  if (!isObject(input_payload))
    throw new ValidationFault([
      { type: "dict_type", loc: ["body", "input"], msg: "Input should be a valid dictionary" },
    ]);
  const named = await readAssistantId(db, body.assistant_id, owner);
  // Ids that are none of ours.
  if (!executeRequest.pick({ agent_id: true, version: true }).safeParse(named).success)
    throw notFound("agent", body.assistant_id);
  const { metadata, webhook } = body;
  const request = { ...named, input_payload, thread_id, completion_callback_url: webhook ?? null };
  return readExecuteRequest({ ...request, ...(metadata && { metadata }) });
}

const fieldOf: Readonly<Record<string, string>> = {
  input_payload: "input",
  completion_callback_url: "webhook",
  agent_id: "assistant_id",
  version: "assistant_id",
};

/** Names the places of faults by LangGraph's fields. */
export async function withTheirFields<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof ValidationFault)) throw error;
    throw new ValidationFault(
      error.detail.map(({ loc: [from, field, ...rest], ...fault }) => ({
        ...fault,
        loc: field === undefined ? [from ?? "body"] : [from ?? "body", fieldOf[field] ?? field, ...rest],
      })),
    );
  }
}
