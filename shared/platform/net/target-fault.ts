export type FaultClass = "blocked" | "timeout" | "dns" | "connect" | "tls" | "protocol";

/** Why a target gave no answer. A tenant may see the class only: the cause's message could reveal the internal network. */
export class TargetFault extends Error {
  readonly class: FaultClass;
  constructor(faultClass: FaultClass, options?: ErrorOptions) {
    super(faultClass, options);
    this.name = "TargetFault";
    this.class = faultClass;
  }
}

/** Patterns of the error codes of Node's dns, net and tls, of OpenSSL's certificate checks, and of undici. The first match counts. */
const classes: [RegExp, FaultClass][] = [
  [/TIMEOUT|TIMEDOUT/, "timeout"],
  [/^(ENOTFOUND|ENODATA|EAI_)/, "dns"],
  [/^ERR_(TLS|SSL)|^EPROTO$|CERT|^UNABLE_TO_|^HOSTNAME_MISMATCH$|CRL/, "tls"],
  [/^E[A-Z]+$/, "connect"],
];

/** Returns the class of an error of a request. `protocol` is for all other errors: an answer that is no HTTP, or incomplete. */
export function faultClassOf(error: unknown): FaultClass {
  if (error instanceof TargetFault) return error.class;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return classes.find(([pattern]) => pattern.test(code))?.[1] ?? "protocol";
}
