// The image's health check: exits with 0 while a worker renews its sign of life, or while an API answers.
import { readFileSync } from "node:fs";

const { ALIVE_FILE, PORT = "8080" } = process.env;

/** The worker writes how long its last sign of life counts, in milliseconds since 1970. */
const workerIsAlive = () => Number(readFileSync(ALIVE_FILE, "utf8")) > Date.now();
const apiAnswers = async () => (await fetch(`http://127.0.0.1:${PORT}/health/live`)).ok;

try {
  process.exitCode = (ALIVE_FILE ? workerIsAlive() : await apiAnswers()) ? 0 : 1;
} catch {
  process.exitCode = 1;
}
