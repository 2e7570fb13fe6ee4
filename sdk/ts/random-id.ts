/** Returns 32 random hex digits. `crypto.randomUUID` is not there in pages over plain http. */
export const randomId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
