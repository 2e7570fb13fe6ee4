import { ApiError, InvalidError, Runfleet, RunfleetError, UnreachableError } from "../sdk/ts/index.ts";
import { InvalidIdError } from "../sdk/ts/path-segment.ts";
import { Fault, type ExitName } from "./exit-codes.ts";
import { fileFault } from "./file-fault.ts";
import type { Settings } from "./settings.ts";

export type Json = Record<string, unknown>;
export type Client = Runfleet;

export const createClient = ({ url, apiKey }: Settings): Client => new Runfleet({ url, apiKey: apiKey ?? undefined });

const exits: Record<number, ExitName> = {
  401: "no_right",
  403: "no_right",
  404: "not_found",
  409: "conflict",
  422: "usage",
};

/** Returns what a command tells of a fault, or of an error of the client or the file system; null for any other error. */
export function faultOf(error: unknown): Fault | null {
  if (error instanceof Fault) return error;
  if (error instanceof InvalidIdError) return new Fault("usage", error.message);
  if (error instanceof UnreachableError) return new Fault("unreachable", describeLost(error));
  if (error instanceof ApiError) return new Fault(exitOf(error.status), describe(error));
  return error instanceof RunfleetError ? new Fault("unreachable", error.message) : fileFault(error);
}

/** The innermost cause says what a connection was lost by. Where there never was one, nothing was done. */
function describeLost(error: UnreachableError): string {
  const { code = "", message } = innermost(error);
  const what = `${error.message.replace(/\.$/, "")}: ${message || code}.`;
  if (neverThere.has(code)) return `${what} Start the service with runfleet up, or name it by --url or RUNFLEET_URL.`;
  return error.method === "GET" ? what : `${what} Look whether it was done before you ask again.`;
}

const innermost = (error: Error): NodeJS.ErrnoException =>
  error.cause instanceof Error ? innermost(error.cause) : error;

const neverThere = new Set(["ECONNREFUSED", "ENOTFOUND"]);

const exitOf = (status: number): ExitName =>
  exits[status] ?? (status >= 500 || status === 429 ? "unreachable" : "usage");

function describe(error: ApiError): string {
  if (error instanceof InvalidError)
    return `The service refused it:\n${error.issues.map(({ place, message }) => `  ${place}: ${message}`).join("\n")}`;
  const known = [error.code, error.requestId].filter((one) => one !== undefined && !one.startsWith("http_"));
  const cure = cures[error.status === 401 ? "unauthorized" : error.code];
  return `${error.message}${known.length > 0 ? ` (${known.join(", ")})` : ""}${cure === undefined ? "" : `\n${cure}`}`;
}

/** The next step after an error of the service, where it is a command. */
const cures: Record<string, string> = {
  unauthorized: "Sign in with: runfleet login, or set RUNFLEET_API_KEY.",
  agent_not_found: "runfleet agents lists yours; runfleet deploy publishes the one of a folder.",
  version_not_found: "runfleet versions ls, with the agent's name, lists its versions.",
  run_not_found: "runfleet runs lists the runs.",
  thread_not_found: "runfleet threads lists the threads.",
};
