import { AppError } from "../../domain/errors/app-error.ts";
import { UncheckedFault, ValidationFault } from "../../domain/errors/validation-fault.ts";

/** Why a tick makes no run, for its record. */
export type Skipped = { reason: string };

/** The reason of a tick for the check of whose input there was no time. */
export const inputUnchecked = "input_unchecked";

/**
 * Resolves to what `act` does for a tick, or to why the tick makes no run. Rejects for an error that is none of the job's: such a tick
 * is tried again.
 */
export async function orSkipped<T>(act: Promise<T>): Promise<T | Skipped> {
  try {
    return await act;
  } catch (error) {
    if (error instanceof AppError) return { reason: error.code };
    if (error instanceof UncheckedFault) return { reason: inputUnchecked };
    if (error instanceof ValidationFault) return { reason: "invalid_input" };
    throw error;
  }
}
