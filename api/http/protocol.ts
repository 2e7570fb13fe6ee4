import type { FaultItem } from "../../shared/domain/errors/validation-fault.ts";
import type { Operation } from "./define-operation.ts";

/** An error that a request is answered with. */
export type Refusal = {
  status: number;
  /** One of `error-codes.ts`, or `validation_error`. */
  code: string;
  message: string;
  /** The faults of a request that is not valid; else empty. */
  faults: readonly FaultItem[];
  request_id: string;
};

/** An error as a protocol's clients read it. A text is sent as plain text, anything else as JSON. */
export type ShownRefusal = { status: number; body: unknown; headers?: Record<string, string> };

/** A protocol of others' clients. Its routes are operations, so that they have the same keys, scopes and limits as ours. */
export type Protocol<C> = {
  /** All of its paths begin with it: `/openai/v1`. */
  prefix: string;
  operations: readonly Operation<C>[];
  /** Shows an error as the protocol does, also that of a path which it does not have. */
  showError: (refusal: Refusal) => ShownRefusal;
};

/** Returns the protocol that a path belongs to. */
export const protocolOf = <P extends { prefix: string }>(protocols: readonly P[], path: string): P | undefined =>
  protocols.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`));
