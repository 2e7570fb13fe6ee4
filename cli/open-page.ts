import { spawn } from "node:child_process";
import type { Call } from "./command.ts";

/** Opens an address in the person's browser: `BROWSER`, or the desktop's. It is told, too, for those who have no browser here. */
export function openPage(address: string, { env, terminal }: Pick<Call, "env" | "terminal">): void {
  const program = env["BROWSER"] || (process.platform === "darwin" ? "open" : "xdg-open");
  const child = spawn(program, [address], { stdio: "ignore", detached: true });
  child.on("error", () => terminal.say("No browser could be started here. Open the address by hand."));
  child.unref();
}
