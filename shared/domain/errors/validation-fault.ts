/** One fault of a request. `loc` starts at `body`, `query`, `path` or `header`. */
export type FaultItem = { type: string; loc: (string | number)[]; msg: string; ctx?: Record<string, unknown> };

/** The faults of a request, in the form of FastAPI's 422. */
export class ValidationFault extends Error {
  readonly detail: FaultItem[];
  constructor(detail: FaultItem[]) {
    super(detail.map((item) => `${item.loc.join(".")}: ${item.msg}`).join("; "));
    this.name = "ValidationFault";
    this.detail = detail;
  }
}

/** The fault of a request whose `Idempotency-Key` was sent with another request before. */
export const idempotencyKeyReused = (): ValidationFault =>
  new ValidationFault([
    {
      type: "value_error",
      loc: ["header", "idempotency-key"],
      msg: "Value error, this key stands for another request",
    },
  ]);
