import type { Config } from "../shared/platform/config/load-config.ts";
import { type Close, closeInReverse, noteIn } from "../shared/platform/lifecycle/close-in-reverse.ts";
import type { Log } from "../shared/platform/log.ts";
import type { Containers } from "./adapters/container/container-adapter.ts";
import { findNode } from "./adapters/node/find-node.ts";
import type { NodeRuntime } from "./adapters/node/node-command.ts";
import { type Environments, openEnvironments } from "./environments/environments.ts";
import { withVenv } from "./environments/make-venv.ts";
import { openEgress } from "./gateway/open-egress.ts";
import { findContainerEngine } from "./sandbox/container-engine.ts";
import { findPython } from "./sandbox/find-python.ts";
import { openSandbox, type ProvenSandbox } from "./sandbox/pick-level.ts";
import type { Python } from "./sandbox/sandbox.ts";

/** What runs agents on this machine. A worker lends it to its runs. */
export type Machine = {
  /** Sandboxes, with a way to the network, and with installed packages in sight. */
  sandbox: ProvenSandbox;
  python: Python;
  /** Null where the sandbox can't run Node. */
  node: NodeRuntime | null;
  /** Null where there is no container engine, or no image is allowed. */
  containers: Containers | null;
  environments: Environments;
  close(): Promise<void>;
};

/** Finds the interpreters, and proves a sandbox. Throws `SandboxUnavailable` where no level that the config allows holds. */
export async function openMachine(config: Config, log: Log): Promise<Machine> {
  const { installer } = config;
  const opened: Close[] = [];
  const opens = noteIn(opened);
  const found = await findPython(config.sandbox.python, config.sandbox.searchPath);
  const python = withVenv(found, installer.directory);
  const egress = opens(openEgress(gatewayStart(config, log)));
  const proven = opens(await openSandbox({ ...config.sandbox, python, egress, log }));
  const environments = opens(openEnvironments({ sandbox: proven, python, log, ...installer }));
  const sandbox = environments.guard(proven);
  const [node, containers] = await Promise.all([
    findNode({ sandbox, directory: installer.directory, log }),
    findContainers(config.containerImages, config.sandbox.searchPath),
  ]);
  return { sandbox, python, node, containers, environments, close: () => closeInReverse(opened) };
}

function gatewayStart({ logLevel, egress }: Config, log: Log): Parameters<typeof openEgress>[0] {
  const options = { log_level: logLevel, allow_hosts: egress.allowHosts, allow_cidrs: egress.allowCidrs };
  const script = new URL("../gateway/main.js", import.meta.url);
  return { script, keeper: new URL("keeper.js", import.meta.url), options, log };
}

async function findContainers(images: readonly string[], searchPath: string): Promise<Containers | null> {
  const engine = images.length > 0 ? await findContainerEngine(searchPath) : null;
  return engine && { engine, images };
}
