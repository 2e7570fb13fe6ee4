import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { fileURLToPath } from "node:url";

export type KeeperProcess = {
  /** Ends it. Without this it begins its work when this process dies. */
  dismiss(): void;
};

/** Waits, in a megabyte of memory, for this process's death, and becomes the keeper then. A line means that no keeper is needed. */
const waiting = "trap '' TERM INT; read -r line || exec \"$@\"";

/**
 * Starts the keeper of a gateway. It is what keeps the answers that the gateway reads after this process's death: it has this process's
 * environment, and so the stores, which the gateway must not have. `gateway`: leads to the gateway.
 */
export function startKeeper(script: URL, gateway: Socket): KeeperProcess {
  const command = [process.execPath, fileURLToPath(script)];
  const child: ChildProcess = spawn("/bin/sh", ["-c", waiting, "keeper", ...command], {
    stdio: ["pipe", "inherit", "inherit", gateway],
    detached: true,
  });
  child.on("error", () => undefined);
  child.stdin?.on("error", () => undefined);
  // The keeper has it. It must see its end.
  gateway.destroy();
  child.unref();
  return { dismiss: () => void child.stdin?.end("\n") };
}
