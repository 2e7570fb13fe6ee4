import { expect, test, vi } from "vitest";
import { commandLine, makeFolder, standIn, startProgram } from "../harness/command-line.ts";

// Each command is a process of its own.
vi.setConfig({ testTimeout: 90_000 });

const start = (program: string[], url: string) => {
  const folder = makeFolder();
  return startProgram(program, { env: { PATH: process.env["PATH"], HOME: folder, RUNFLEET_URL: url }, cwd: folder });
};

/** Writes a command's input only when the command waits for it. The command's other files are a terminal. */
const slowInput = `import json,os,pty,subprocess,sys,time
terminal,of_command=pty.openpty()
child=subprocess.Popen(sys.argv[1:],stdin=subprocess.PIPE,stdout=of_command,stderr=of_command)
os.close(of_command)
while child.poll() is None and "pipe_read" not in open(f"/proc/{child.pid}/wchan").read(): time.sleep(.02)
try: child.communicate(b"{}")
except BrokenPipeError: pass
seen=b""
try:
  while part:=os.read(terminal,65536): seen+=part
except OSError: pass
sys.stdout.buffer.write(seen)
sys.exit(child.wait())`;

test("on a terminal the input of -f - is waited for", async () => {
  const { url } = await standIn((_request, response) =>
    response.setHeader("content-type", "application/json").end('{"id": "run_1"}'),
  );
  const program = ["python3", "-c", slowInput, ...commandLine, "api", "POST", "/v1/execute", "-f", "-"];
  expect(await start(program, url).ended).toMatchObject({ code: 0, out: expect.stringContaining("run_1") });
});
