/** One fault of a request. `loc` starts at `body`, `query`, `path` or `header`. */
export type FaultItem = { type: string; loc: (string | number)[]; msg: string; ctx?: Record<string, unknown> };

/** An answer lists at most this many faults. */
const mostFaults = 100;

/** The faults of a request, in the form of FastAPI's 422. Of more than a hundred the last item tells how many more there are. */
export class ValidationFault extends Error {
  readonly detail: FaultItem[];
  constructor(faults: readonly FaultItem[]) {
    const detail = faults.slice(0, mostFaults);
    const more = faults.length - mostFaults;
    if (more > 0)
      detail.push({
        type: "more_faults",
        loc: faults[mostFaults]?.loc.slice(0, 1) ?? [],
        msg: `${more} more faults are not listed`,
      });
    super(detail.map((item) => `${item.loc.join(".")}: ${item.msg}`).join("; "));
    this.name = "ValidationFault";
    this.detail = detail;
  }
}

/** The fault of a value for whose check by a schema there was no time. The value may be right, so work without a client is tried again. */
export class UncheckedFault extends ValidationFault {
  constructor(loc: FaultItem["loc"], why: string) {
    super([{ type: "value_error", loc, msg: uncheckedMessage(why) }]);
  }
}

/** Returns what a fault says of a value that could not be checked by its schema. */
export const uncheckedMessage = (why: string): string => `Value error, it could not be checked by its schema: ${why}`;

/** The fault of a request whose `Idempotency-Key` was sent with another request before. */
export const idempotencyKeyReused = (): ValidationFault =>
  new ValidationFault([
    {
      type: "value_error",
      loc: ["header", "idempotency-key"],
      msg: "Value error, this key stands for another request",
    },
  ]);
