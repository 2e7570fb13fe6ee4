import type { Egress, EgressListener } from "../../gateway/egress.ts";
import type { LaunchOptions } from "../launch-process.ts";
import type { Python } from "../sandbox.ts";

/** Where a sandbox's programs look for their proxy. */
const proxyPort = 3128;

type Ends = { python: Python; egress: Egress };
type WayOut = {
  /** Goes before the command. */
  argv: string[];
  env: Record<string, string>;
  launch: Pick<LaunchOptions, "onListener">;
  /** Null: no network. Closed by whoever started the sandbox, when it is gone. */
  listener: EgressListener | null;
};

/**
 * A sandbox with egress makes a listening socket in its own network namespace, where its programs look for a proxy, and hands
 * it to this process before it becomes its command. This process keeps the socket and lets the gateway serve it.
 */
export function wayOut({ python, egress }: Ends, allow: readonly string[] | null, fd: number): WayOut {
  if (allow === null) return { argv: [], env: {}, launch: {}, listener: null };
  const listener = egress.open(allow);
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].flatMap((name) => [name, name.toLowerCase()]);
  return {
    argv: [python.path, "-I", "-S", "-c", handOver, String(fd)],
    env: {
      ...Object.fromEntries(names.map((name) => [name, `http://127.0.0.1:${proxyPort}`])),
      NO_PROXY: "localhost,127.0.0.1",
      no_proxy: "localhost,127.0.0.1",
      NODE_USE_ENV_PROXY: "1",
    },
    launch: { onListener: (socket) => listener.take(socket) },
    listener,
  };
}

/** Speaks Node's protocol for handles: internal/child_process.js, `NODE_HANDLE`; the other side's answer says that it has it. */
const handOver = `import array, os, socket, sys
listener = socket.socket()
listener.bind(("127.0.0.1", ${proxyPort}))
listener.listen(64)
channel = socket.socket(fileno=int(sys.argv[1]))
message = b'{"cmd":"NODE_HANDLE","type":"net.Native","msg":{}}\\n'
channel.sendmsg([message], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [listener.fileno()]).tobytes())])
channel.recv(256)
channel.close()
os.execvp(sys.argv[2], sys.argv[2:])`;
