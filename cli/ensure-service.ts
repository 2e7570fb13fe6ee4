import type { Call } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import { answers, hasLauncher, startStack, untilReady } from "./start-stack.ts";

/** Starts the service where its address is this machine's own and nothing answers there. It ends with this command. */
export async function ensureService({
  settings,
  terminal,
  env,
}: Pick<Call, "settings" | "terminal" | "env">): Promise<void> {
  const { url } = settings();
  const { protocol, hostname, port } = new URL(url);
  const isOwn = protocol === "http:" && ["127.0.0.1", "localhost"].includes(hostname);
  if (!isOwn || !hasLauncher() || (await answers(`${url}/health/live`))) return;
  terminal.say(`Nothing answers at ${url}: the service is started here, and ends with this command.`);
  const started = startStack({ env, port: port || "80" }, "log");
  // The service must not keep the command from ending.
  started.child.unref();
  started.child.channel?.unref();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(exitCodes.detached));
  const startedAt = Date.now();
  await untilReady(url, started, () => {
    terminal.status(
      `Starting the service · ${Math.round((Date.now() - startedAt) / 1000)} s · its log is ${started.log}`,
    );
  });
  terminal.status(null);
}
