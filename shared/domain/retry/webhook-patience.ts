/** A webhook whose deliveries only failed for so long is disabled. Scaled as the retry schedule is. */
export const disableAfterMs = 5 * 24 * 3_600_000;
