import type { Request } from "express";
import { AppError, notFound } from "../../shared/domain/errors/app-error.ts";
import { covers } from "../../shared/schemas/scope.ts";
import type { Caller } from "./caller.ts";
import type { Operation } from "./define-operation.ts";
import type { Guards } from "./guards.ts";
import { queryOf } from "./request-context.ts";

const nobody: Caller = { owner: "", user_id: "", actor: "anonymous", scopes: [], run_id: null };

/**
 * Who asks, once it is sure that he may: else unauthorized, too_many_requests, forbidden, or not_found for another run
 * than his token's.
 */
export async function admit<C>(guards: Guards, operation: Operation<C>, req: Request): Promise<Caller> {
  const { scope } = operation;
  if (scope === "public") return nobody;
  const credentials = { authorization: req.get("authorization"), token: queryOf(req)["token"] };
  const address = `ip:${req.ip}`;
  const caller = await guards.authenticate(credentials).catch(async (error: unknown) => {
    // So that guessing is limited too.
    await guards.limiter.count(address);
    throw error;
  });
  await guards.limiter.count(whoseLimit(caller, req));
  if (!covers(caller.scopes, scope)) throw new AppError("forbidden", "missing_scope", `The key lacks '${scope}'.`);
  if (caller.run_id !== null) checkRunToken(caller.run_id, operation, req);
  return caller;
}

/** A body counts as one more request for each whole one of these: reading it keeps this process' only thread busy. */
const perRequest = { bytes: 64 * 1024, values: 1_000 };

/** Counts the size of a body that was received and isn't parsed yet. Throws too_many_requests. */
export async function countBody(
  guards: Guards,
  caller: Caller,
  req: Request,
  size: { bytes: number; values: number },
): Promise<void> {
  const more = Math.floor(size.bytes / perRequest.bytes) + Math.floor(size.values / perRequest.values);
  if (more > 0 && caller !== nobody) await guards.limiter.count(whoseLimit(caller, req), more);
}

/** All keys of a user share a limit: another key is no way around it. Without keys an address has one. */
export function whoseLimit({ actor, user_id }: Caller, req: Request): string {
  if (actor === "open") return `ip:${req.ip}`;
  return actor === "bootstrap" || actor === "internal" ? actor : `user:${user_id}`;
}

function checkRunToken<C>(runId: string, operation: Operation<C>, req: Request): void {
  if (!operation.runToken) throw new AppError("forbidden", "run_token", "This key only reads its run.");
  const asked = String(req.params["run_id"]);
  if (asked !== runId) throw notFound("run", asked);
}
