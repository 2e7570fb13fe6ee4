/** SIGUSR2 blocks the event loop of the process for BLOCK_MS: it lives, and does nothing. */
const nobody = new Int32Array(new SharedArrayBuffer(4));
process.on("SIGUSR2", () => void Atomics.wait(nobody, 0, 0, Number(process.env["BLOCK_MS"])));
