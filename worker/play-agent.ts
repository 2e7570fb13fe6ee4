import type { RunEventBody } from "../shared/schemas/run-event.ts";
import { createRedactor } from "../shared/secrets/redact.ts";
import type { Attempt } from "../shared/store/runs/claim-run.ts";
import { trace } from "../shared/trace.ts";
import type { AgentFrame, Frame } from "./channel/frame-schema.ts";
import type { WorkerContext } from "./context.ts";
import type { Hold } from "./lease/hold-leases.ts";
import { keepFrame, nothingYet, type Remains } from "./outcome/remains.ts";
import { frameToEvent } from "./output/frame-to-event.ts";
import { createHandOut } from "./output/hand-out.ts";
import { createOutputLimiter } from "./output/limit-output.ts";
import type { RunOutput } from "./output/run-output.ts";
import { prepareAttempt } from "./prepare/agent-request.ts";

/**
 * Runs an attempt's agent to its end and sends on what it says: redacted, limited, in order. Gives what it left behind.
 * Stopping `hold` ends the agent's process; the iteration then ends by itself.
 */
export async function playAgent(ctx: WorkerContext, attempt: Attempt, hold: Hold, output: RunOutput): Promise<Remains> {
  const { request, secrets, limits } = prepareAttempt(ctx.config.encryptionKeys, attempt);
  const remains = nothingYet(attempt.timeout_ms);
  const adapter = ctx.adapters.get(attempt.adapter_type);
  if (!adapter)
    return { ...remains, error: ourFault("adapter_unavailable", `No adapter '${attempt.adapter_type}' here.`) };
  if (request.entrypoint === null)
    return {
      ...remains,
      error: ourFault("no_entrypoint", "Neither the agent's config nor the run's files hold any code to run."),
    };
  const redact = createRedactor(secrets);
  const limit = createOutputLimiter(limits);
  const handOut = createHandOut(ctx.db, attempt);

  const send = async (body: RunEventBody): Promise<void> => {
    if (hold.signal.aborted) return;
    const passage = limit(body);
    if ("broken" in passage) return hold.stop(passage.broken);
    for (const piece of passage.pass) {
      if (piece.type === "output.delta") remains.outputs.push(piece.content);
      await output.push(piece);
    }
  };
  const take = async (frame: Frame): Promise<void> => {
    trace(attempt.id, frame.type === "started" ? "taken" : "first_frame");
    if (frame.type === "started") return output.push(startedEvent(ctx, attempt, frame.warm));
    if (frame.type === "exit") {
      remains.exit = frame;
      return;
    }
    if (frame.type === "artifact") {
      const handed = await handOut(frame);
      return "broken" in handed ? hold.stop(handed.broken) : send(handed.pass);
    }
    const clean: AgentFrame = redact.deep(frame);
    keepFrame(remains, clean);
    const event = frameToEvent(clean);
    if (event) await send(event);
  };
  for await (const frame of adapter.run(request, hold.signal)) await take(frame);
  return remains;
}

function ourFault(code: string, message: string): Remains["error"] {
  return { code, type: null, message, traceback: null };
}

function startedEvent(ctx: WorkerContext, attempt: Attempt, warm: boolean): RunEventBody {
  const { adapter_type, runtime_mode, lifecycle, requeue_reason } = attempt;
  const discards = requeue_reason && { discards: { attempt: attempt.attempt - 1, reason: requeue_reason } };
  const sandbox = ctx.sandbox.report;
  const started = {
    type: "run.started",
    worker_id: ctx.workerId,
    adapter_type,
    runtime_mode,
    lifecycle,
    sandbox,
    warm,
  } as const;
  return { ...started, ...discards };
}
