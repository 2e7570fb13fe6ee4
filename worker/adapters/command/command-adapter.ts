import type { SandboxProcess } from "../../sandbox/process.ts";
import type { Python, Sandbox } from "../../sandbox/sandbox.ts";
import type { Adapter } from "../adapter.ts";
import { readCommand, refuse, toStdin } from "../read-command.ts";
import {
  cpuLimitOf,
  defaultProfile,
  isDefault,
  type LaunchProfile,
  launchProfile,
  resourcesOf,
} from "../../warm/launch-profile.ts";
import { prewarm } from "../../warm/prewarm.ts";

/**
 * Runs any program in a fresh sandbox. The run's files are in the working directory, the request is JSON on stdin, stdout is
 * the output (or frames, where the config says `output: "ndjson"`), and stderr is the log. Exit code 0 is a success. A small
 * Python program, the launcher, writes the files and then becomes the program. Some launchers are prewarmed.
 */
export function createCommandAdapter(sandbox: Sandbox, python: Python): Adapter & { close(): void } {
  const argv = [python.path, "-I", "-S", "-c", launcher] as const;
  const open = (profile: LaunchProfile): Promise<SandboxProcess> =>
    sandbox.start({
      argv,
      env: {},
      readOnly: [],
      resources: resourcesOf(profile),
      egress: profile.egress,
      reservedBytes: 0,
    });
  const prewarmed = prewarm({ open, defaultProfile, isDefault, atOnce: false });
  return {
    async *run(request, signal) {
      const { command, resources, egress, env, code, files } = request;
      if (command === null) return yield* refuse("no_entrypoint", "The agent's config names no `command`.");
      const profile = launchProfile(resources, { cpu_ms: cpuLimitOf(resources), packages: null, egress });
      const child = await prewarmed.take(profile);
      child.listener?.beginRun(request.calls?.() ?? null);
      const head = JSON.stringify({ command, env, files: { ...code, ...files } });
      child.stdin.write(`${Buffer.byteLength(head)}\n${head}`);
      child.stdin.end(JSON.stringify(toStdin(request)));
      yield* readCommand(child, request, signal);
    },
    close: () => prewarmed.close(),
  };
}

/** Reads the files from stdin without reading ahead, so that the program finds its own input there. */
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
    is_text = not comma or any(character.isspace() for character in head)
    data = content.encode() if is_text else binascii.a2b_base64(body) if head.endswith(";base64") else urllib.parse.unquote_to_bytes(body)
    with open(name, "wb") as file: file.write(data)
    if data[:2] == b"#!": os.chmod(name, 0o755)
os.environ.update(layout["env"])
os.set_inheritable(3, False)
try:
    os.execvp(layout["command"][0], layout["command"])
except OSError as error:
    sys.exit(f"{layout['command'][0]}: {error.strerror}")`;
