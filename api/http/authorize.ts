import type { Request } from "express";
import { AppError, notFound } from "../../shared/domain/errors/app-error.ts";
import { covers, type Scope } from "../../shared/schemas/scope.ts";
import type { Credentials } from "./authenticate.ts";
import type { Caller } from "./caller.ts";
import type { Operation } from "./define-operation.ts";
import type { Guards } from "./guards.ts";
import { rateLimitHeaders, type RateLimitState } from "./rate-limit.ts";
import { credentialsOf } from "./request-context.ts";
import { clientAddress } from "./client-address.ts";
import { weighBody } from "./weigh-body.ts";

const nobody: Caller = {
  owner: "",
  user_id: "",
  actor: "anonymous",
  principal: null,
  session_id: null,
  scopes: [],
  key_expires_at: null,
  run_id: null,
  per_minute: { user: null, key: null },
};

/**
 * Returns the caller of a request that may use the operation. Throws unauthorized, too_many_requests, forbidden, or not_found
 * when a run's token asks for another run.
 */
export async function authorize<C>(guards: Guards, operation: Operation<C>, req: Request): Promise<Caller> {
  const { scope } = operation;
  if (scope === "public") return nobody;
  const caller = await identify(guards, credentialsOf(req), {
    ip: clientAddress(req),
    show: (left) => void req.res?.set(rateLimitHeaders(left)),
  });
  if (scope !== "any") requireScope(caller, scope);
  if (caller.run_id !== null) checkRunToken(caller.run_id, operation, req);
  return caller;
}

/** Returns who sends a request, and counts the request. Throws unauthorized and too_many_requests. */
export async function identify(
  guards: Pick<Guards, "authenticate" | "limiter">,
  credentials: Credentials,
  { ip, show }: { ip: string | undefined; show?: (left: RateLimitState) => void },
): Promise<Caller> {
  const caller = await guards.authenticate(credentials).catch(async (error: unknown) => {
    // Guesses of keys are limited by address.
    await guards.limiter.count(`ip:${ip}`);
    throw error;
  });
  await countRequests(guards, caller, { ip }, { requests: 1, ...(show && { show }) });
  return caller;
}

/** Throws forbidden when the caller's key lacks the scope. */
export function requireScope({ scopes }: Caller, scope: Scope): void {
  if (!covers(scopes, scope))
    throw new AppError("forbidden", "missing_scope", `The key lacks the scope '${scope}'. Use a key that has it.`);
}

/**
 * Counts the size of a body that is not parsed yet against the caller's rate limit, or the address' where anybody may ask.
 * `counted`: as how many requests it was counted before. Returns as how many it is counted now. Throws too_many_requests.
 */
export async function countBody(
  guards: Guards,
  caller: Caller,
  req: Request,
  { size, counted }: { size: { bytes: number; values: number }; counted: number },
): Promise<number> {
  const requests = weighBody(size);
  if (requests === 0) return counted;
  if (caller === nobody) await guards.limiter.count(`ip:${clientAddress(req)}`, { requests, counted });
  else await countRequests(guards, caller, req, { requests, counted });
  return counted + requests;
}

/**
 * Counts requests against the limit of the caller's user, and that of the caller's key if it has one. `show` is told what is
 * left of the one that has less.
 */
export async function countRequests(
  { limiter }: Pick<Guards, "limiter">,
  caller: Caller,
  from: Peer,
  { requests, counted = 0, show }: { requests: number; counted?: number; show?: (left: RateLimitState) => void },
): Promise<void> {
  const { user, key } = caller.per_minute;
  let least: RateLimitState | null = null;
  const note = (left: RateLimitState): void => {
    if (least === null || left.remaining < least.remaining) show?.((least = left));
  };
  if (key !== null) await limiter.count(`key:${caller.actor}`, { requests, counted, perMinute: key, show: note });
  await limiter.count(limiterKey(caller, from), {
    requests,
    counted,
    ...(user !== null && { perMinute: user }),
    show: note,
  });
}

type Peer = { ip?: string | undefined };

/** Returns the key under which requests are counted. All API keys of a user share it; in open mode each address has one. */
export function limiterKey({ actor, user_id }: Caller, { ip }: Peer): string {
  if (actor === "open") return `ip:${ip}`;
  return actor === "bootstrap" || actor === "internal" ? actor : `user:${user_id}`;
}

function checkRunToken<C>(runId: string, operation: Operation<C>, req: Request): void {
  if (!operation.runToken)
    throw new AppError("forbidden", "run_token", "A run's read token may only read its run. Use an API key.");
  const requested = String(req.params["run_id"]);
  if (requested !== runId) throw notFound("run", requested);
}
