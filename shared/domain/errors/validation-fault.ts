/** One fault of a request. `loc` starts at `body`, `query`, `path` or `header`. */
export type FaultItem = { type: string; loc: (string | number)[]; msg: string; ctx?: Record<string, unknown> };

/** What a request gets wrong, as FastAPI's 422 lists it. */
export class ValidationFault extends Error {
  readonly detail: FaultItem[];
  constructor(detail: FaultItem[]) {
    super(detail.map((item) => `${item.loc.join(".")}: ${item.msg}`).join("; "));
    this.name = "ValidationFault";
    this.detail = detail;
  }
}
