import { isTransientState } from "./sql-faults.ts";

/**
 * True when an error says that Postgres or Redis could not be reached or is not ready, so that the same request may succeed
 * later. It looks at the codes along the chain of causes, and at texts only where a driver gives no code.
 */
export const isDependencyFault = (error: unknown): boolean =>
  chainOf(error).some(
    (fault) =>
      codesOf(fault).some(isConnectionCode) ||
      connectingCalls.has(fault["syscall"]) ||
      (typeof fault["name"] === "string" && redisNames.has(fault["name"])) ||
      (typeof fault["message"] === "string" && codelessText.test(fault["message"])),
  );

/** True when a row could not be written because a row that it refers to was deleted at the same time. */
export const isLostReference = (error: unknown): boolean =>
  chainOf(error).some((fault) => codesOf(fault).some((code) => code === "23503" || code === "P2003"));

/** Returns an error and its causes. */
function chainOf(error: unknown): Record<string, unknown>[] {
  const chain: Record<string, unknown>[] = [];
  for (let at = error; isRecord(at) && chain.length < 8; at = at["cause"]) chain.push(at);
  return chain;
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

/** pg and node: `code`. Prisma: `code`, `errorCode` and, of its adapters, `kind` and `originalCode`, in `cause` or `meta`. */
function codesOf(error: Record<string, unknown>): unknown[] {
  const meta = isRecord(error["meta"]) ? error["meta"] : {};
  const adapter = isRecord(meta["driverAdapterError"]) ? meta["driverAdapterError"] : {};
  return [error, meta, isRecord(adapter["cause"]) ? adapter["cause"] : {}].flatMap((part) => [
    part["code"],
    part["errorCode"],
    part["originalCode"],
    part["kind"],
  ]);
}

const systemCodes = "ECONNREFUSED ECONNRESET ECONNABORTED EPIPE ETIMEDOUT EHOSTUNREACH ENETUNREACH ENOTFOUND EAI_AGAIN";
/**
 * https://www.prisma.io/docs/orm/reference/error-reference: refused login, unreachable, timed out, missing, no TLS, closed, pool
 * exhausted, no transaction in time, conflict, too many connections.
 */
const prismaCodes =
  "P1000 P1001 P1002 P1003 P1008 P1010 P1011 P1017 P2024 P2028 P2034 P2037 DatabaseNotReachable ConnectionClosed SocketTimeout TooManyConnections TlsConnectionError";
const codes = new Set([systemCodes, prismaCodes].join(" ").split(" "));

/** Whatever the system's error is: no connection came about. A route into nothing gives EINVAL, a packet filter EPERM. */
const connectingCalls = new Set<unknown>(["connect", "getaddrinfo"]);

const isConnectionCode = (code: unknown): boolean =>
  typeof code === "string" && (codes.has(code) || (/^[0-9A-Z]{5}$/.test(code) && isTransientState(code)));

const redisNames = new Set(["MaxRetriesPerRequestError", "ClusterAllFailedError"]);
/** pg, pg-pool and ioredis throw these without a code; the capitals are Redis's own replies. */
const codelessTexts = [
  "Connection terminated",
  "Query read timeout",
  "timeout exceeded when trying to connect",
  "timeout expired",
  "Client has encountered a connection error",
  "Client was closed and is not queryable",
  "Cannot use a pool after calling end on the pool",
  "There was an error establishing an SSL connection",
  "Connection is closed",
  "Stream isn't writeable",
  "Command timed out",
  "Socket timeout",
  "Cluster isn't ready",
  "Cluster is disconnect",
  "None of startup nodes is available",
  "Node is disconnected",
  "Too many Cluster redirections",
  "All sentinels are unreachable",
  ...["LOADING ", "READONLY ", "MASTERDOWN ", "CLUSTERDOWN ", "TRYAGAIN ", "NOREPLICAS ", "MISCONF ", "BUSY "],
];
const codelessText = new RegExp(`^(?:${codelessTexts.join("|")})`);
