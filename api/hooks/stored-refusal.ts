import { AppError } from "../../shared/domain/errors/app-error.ts";
import { ValidationFault } from "../../shared/domain/errors/validation-fault.ts";

/** Returns what a delivery keeps of a refusal, for the hook's owner; its sender gets the error itself. Null: the error is a fault of this process or of a dependency. */
export function storedRefusal(error: unknown): { code: string; message: string } | null {
  if (error instanceof AppError) return { code: error.code, message: bounded(error.message) };
  return error instanceof ValidationFault ? { code: "validation_error", message: bounded(error.message) } : null;
}

/** Postgres' texts have no NUL and no half of a surrogate pair. */
const bounded = (message: string): string =>
  message
    .slice(0, 1_000)
    .replaceAll("\0", "")
    .replaceAll(/\p{Surrogate}/gu, "\ufffd");
