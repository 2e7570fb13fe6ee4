import {
  directHosts,
  gatewayAddress,
  gatewayPort,
  trustFiles,
} from "../../../shared/domain/connection/sandbox-address.ts";
import type { Egress, EgressListener } from "../../gateway/egress.ts";
import type { LaunchOptions } from "../launch-process.ts";
import type { Python } from "../sandbox.ts";

/** A file of the sandbox with certificates, and the descriptor that its text is read from. */
export type TrustFile = { fd: number; path: string; text: string };

type EgressLaunch = {
  /** Goes before the command. */
  argv: string[];
  env: Record<string, string>;
  launch: Pick<LaunchOptions, "onListener">;
  /** Null for no network. The caller closes the listener when the sandbox is gone. */
  listener: EgressListener | null;
  /** Each has a pipe of its own, after the caller's. */
  trust: TrustFile[];
};

/**
 * Returns how a sandbox is started so that it has egress. Before it becomes its command it opens a listening socket in its own
 * network namespace, where its programs look for their proxy, and sends the socket to this process on the descriptor after the pipes. This
 * process keeps the socket and lets the gateway serve it. `fd`: the first descriptor after the caller's pipes.
 */
export function launchWithEgress(
  { python, egress }: { python: Python; egress: Egress },
  allow: readonly string[] | null,
  fd: number,
): EgressLaunch {
  if (allow === null) return { argv: [], env: {}, launch: {}, listener: null, trust: [] };
  const listener = egress.open(allow);
  const trust = (["authority", "certificates"] as const).map((name, at) => ({
    fd: fd + at,
    path: trustFiles[name],
    text: egress.trust[name],
  }));
  // What the agent's config names is meant to be the machine's, not a server within the sandbox.
  const direct = directHosts(allow);
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].flatMap((name) => [name, name.toLowerCase()]);
  return {
    argv: [python.path, "-I", "-S", "-c", sendListener, String(fd + trust.length)],
    env: {
      ...Object.fromEntries(names.map((name) => [name, gatewayAddress])),
      NO_PROXY: direct,
      no_proxy: direct,
      NODE_USE_ENV_PROXY: "1",
      // Node reads it at its start only.
      NODE_EXTRA_CA_CERTS: trustFiles.authority,
    },
    launch: { onListener: (socket) => listener.take(socket) },
    listener,
    trust,
  };
}

/** Uses Node's protocol for handles (`NODE_HANDLE` in internal/child_process.js). The answer says that the socket was received. */
const sendListener = `import array, os, socket, sys
listener = socket.socket()
listener.bind(("127.0.0.1", ${gatewayPort}))
listener.listen(64)
channel = socket.socket(fileno=int(sys.argv[1]))
message = b'{"cmd":"NODE_HANDLE","type":"net.Native","msg":{}}\\n'
channel.sendmsg([message], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [listener.fileno()]).tobytes())])
channel.recv(256)
channel.close()
os.execvp(sys.argv[2], sys.argv[2:])`;
