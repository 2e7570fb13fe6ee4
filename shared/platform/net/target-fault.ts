export type FaultClass = "blocked" | "timeout" | "dns" | "connect" | "tls" | "protocol";

/** Why a target gave no answer. Only the class is fit for a tenant's eyes: a message could tell of our own network. */
export class TargetFault extends Error {
  readonly class: FaultClass;
  constructor(faultClass: FaultClass, options?: ErrorOptions) {
    super(faultClass, options);
    this.name = "TargetFault";
    this.class = faultClass;
  }
}

/** By the codes of Node's dns, net and tls, of OpenSSL's certificate checks, and of undici. The first that fits. */
const classes: [RegExp, FaultClass][] = [
  [/TIMEOUT|TIMEDOUT/, "timeout"],
  [/^(ENOTFOUND|ENODATA|EAI_)/, "dns"],
  [/^ERR_(TLS|SSL)|^EPROTO$|CERT|^UNABLE_TO_|^HOSTNAME_MISMATCH$|CRL/, "tls"],
  [/^E[A-Z]+$/, "connect"],
];

/** The class of what a request threw. What no connection explains is the protocol's: an answer that isn't HTTP, or half of one. */
export function faultClassOf(error: unknown): FaultClass {
  if (error instanceof TargetFault) return error.class;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return classes.find(([pattern]) => pattern.test(code))?.[1] ?? "protocol";
}
