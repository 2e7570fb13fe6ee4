import type { AgentFrame, Frame } from "../../channel/frame-schema.ts";
import type { AgentProcess } from "../../sandbox/process.ts";
import type { Python, Sandbox } from "../../sandbox/sandbox.ts";
import type { Adapter, AgentRequest } from "../adapter.ts";
import { readProcess } from "../read-process.ts";

/** How much of stderr the error of a failed command repeats. */
const tailLength = 4_096;

/**
 * Runs any program in a fresh sandbox: the run's files lie in its working directory, the request is JSON on its stdin, its
 * stdout is the output (or frames, where the config says `output: "ndjson"`), its stderr the log. Exit code 0 is a success.
 * A small Python lays the files out and becomes the program.
 */
export function createCommandAdapter(sandbox: Sandbox, python: Python): Adapter {
  return {
    async *run(request, signal) {
      const { command, resources, env, code, files } = request;
      if (command === null) return yield* refuse("The agent's config names no `command`.");
      const argv = [python.path, "-I", "-S", "-c", launcher, ...command] as const;
      const child = await sandbox.start({ argv, env: {}, readOnly: [], resources, reservesAddresses: true });
      const head = JSON.stringify({ env, files: { ...code, ...files } });
      child.stdin.write(`${Buffer.byteLength(head)}\n${head}`);
      child.stdin.end(JSON.stringify(toStdin(request)));
      yield* readCommand(child, request, signal);
    },
  };
}

/** Reads the layout from stdin without reading ahead, so that the program finds its own input there. */
const launcher = `import os, sys, binascii, json, urllib.parse
def read(n):
    data = b""
    while len(data) < n:
        part = os.read(0, n - len(data))
        if not part: os._exit(1)
        data += part
    return data
digits = b""
while not digits.endswith(b"\\n"): digits += read(1)
layout = json.loads(read(int(digits)))
for name, content in layout["files"].items():
    if any(part in ("", ".", "..") for part in name.split("/")): sys.exit(f"'{name}' is no relative path")
    os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
    head, comma, body = content.partition(",") if content.startswith("data:") else ("", "", "")
    data = content.encode() if not comma else binascii.a2b_base64(body) if head.endswith(";base64") else urllib.parse.unquote_to_bytes(body)
    with open(name, "wb") as file: file.write(data)
    if data[:2] == b"#!": os.chmod(name, 0o755)
os.environ.update(layout["env"])
os.set_inheritable(3, False)
try:
    os.execvp(sys.argv[1], sys.argv[1:])
except OSError as error:
    sys.exit(f"{sys.argv[1]}: {error.strerror}")`;

/** What a program is told of its run, on stdin. */
export function toStdin(request: AgentRequest): Record<string, unknown> {
  const { run_id, attempt, thread_id, agent_id, version, user_id, input_payload, history, answers, metadata } = request;
  const { state_snapshot } = request;
  return {
    run_id,
    attempt,
    thread_id,
    agent_id,
    version,
    user_id,
    input_payload,
    history,
    answers,
    state_snapshot,
    metadata,
  };
}

/** The frames of a program that knows of no event channel. */
export async function* readCommand(
  child: AgentProcess,
  request: AgentRequest,
  signal: AbortSignal,
): AsyncGenerator<Frame> {
  const ndjson = request.output === "ndjson";
  // What it writes to fd 3 is nothing: it has only stdout to say something.
  const spoken = { ...child, events: ndjson ? child.stdout : nothing(), stdout: ndjson ? nothing() : child.stdout };
  let failed = "";
  let said = false;
  for await (const frame of readProcess(spoken, { opening: [{ type: "started", warm: false }], signal })) {
    if (frame.type === "log" && frame.stream === "stderr") failed = (failed + frame.message).slice(-tailLength);
    said ||= frame.type === "result" || frame.type === "error" || frame.type === "interrupt";
    if (frame.type === "exit" && !said && frame.limit === null) yield* concludes(frame.code, failed);
    yield frame;
  }
}

function* concludes(code: number | null, stderr: string): Generator<AgentFrame> {
  if (code === 0) yield { type: "result", result_content: null };
  if (code === 0 || code === null) return;
  const message = stderr.trim() || `The command exited with ${code}.`;
  yield { type: "error", code: "agent_error", error_type: `Exit${code}`, message, traceback: null };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

function* refuse(message: string): Generator<Frame> {
  yield { type: "started", warm: false };
  yield { type: "error", code: "no_entrypoint", error_type: "NoCommand", message, traceback: null };
  yield { type: "exit", code: null, signal: null, limit: null, cpu_ms: null, max_rss_bytes: null };
}
