import { expect, test, vi } from "vitest";
import { commandLine, makeFolder, standIn, startProgram, typing } from "../harness/command-line.ts";

// Each command is a process of its own.
vi.setConfig({ testTimeout: 90_000 });

const start = (program: string[], url: string) => {
  const folder = makeFolder();
  return startProgram(program, {
    env: { ...process.env, HOME: folder, RUNFLEET_URL: url, BROWSER: "true" },
    cwd: folder,
  });
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

/** Ctrl-C and Ctrl-D. */
const [left, ended] = ["\u0003", "\u0004"];

test.for([
  ["secrets set TOKEN", "The value of TOKEN", left],
  ["secrets set TOKEN", "The value of TOKEN", ended],
  ["login", "Or enter an API key", left],
  ["cancel --status running", "Type 3 to cancel", left],
  ["cancel --status running", "Type 3 to cancel", ended],
] as const)("a prompt that is left ends the command with 130, and nothing is done: %s", async ([args, seen, typed]) => {
  const { url, asked } = await standIn((_request, response) =>
    response.setHeader("content-type", "application/json").end('{"total": 3, "more": false, "auth_mode": "key"}'),
  );
  const program = typing([[seen, typed]], [...commandLine, ...args.split(" ")]);
  expect(await start(program, url).ended).toMatchObject({
    code: 130,
    out: expect.stringMatching(/Nothing was done\.\s+$/),
  });
  expect(asked).toHaveLength(args === "secrets set TOKEN" ? 0 : 1);
});

test("in a chat Ctrl-C is for the run that is shown, and the chat goes on when the run is cancelled", async () => {
  let send = (_type: string, _more: object): void => undefined;
  const { url } = await standIn(({ url: path = "", method }, response) => {
    if (path === "/v1/execute") {
      let seq = 0;
      response.setHeader("content-type", "text/event-stream");
      send = (type, more) => {
        seq += 1;
        const event = { type, run_id: "run_1", attempt: 0, seq, status: "cancelled", duration_ms: 5, ...more };
        response.write(`id: 0-${seq}\ndata: ${JSON.stringify(event)}\n\n`);
      };
      return send("output.delta", { content: "working" });
    }
    if (method === "POST") send("run.cancelled", {});
    response.setHeader("content-type", "application/json").end("{}");
  });
  const steps: [string, string][] = [
    ["> ", "hello\r"],
    ["working", left],
    ["Ctrl-C once more", left],
    ["✗ cancelled", ""],
    ["> ", ended],
  ];
  const chat = await start(typing(steps, [...commandLine, "threads", "chat", "talker"]), url).ended;
  expect(chat).toMatchObject({ code: 0, out: expect.stringMatching(/runfleet tail run_[\s\S]*✗ cancelled[\s\S]*> /) });
});

test("when somebody else answers a question first, that is said, and the run is shown on", async () => {
  let isAnswered = false;
  const { url } = await standIn(({ url: path = "", method, headers }, response) => {
    const json = response.setHeader("content-type", "application/json");
    if (method === "POST") {
      isAnswered = true;
      const refused = { detail: "The run is not waiting for an answer.", code: "run_not_interrupted" };
      return void json.writeHead(409).end(JSON.stringify(refused));
    }
    const interrupts = isAnswered ? [] : [{ id: "i1", message: "Sure?" }];
    if (!path.endsWith("/stream")) return void json.end(JSON.stringify({ interrupts }));
    if (!isAnswered && headers["last-event-id"] !== undefined) return void response.writeHead(204).end();
    const seq = isAnswered ? 2 : 1;
    const event = { run_id: "run_1", attempt: 0, seq, status: "success", duration_ms: 5, interrupts };
    const type = isAnswered ? "run.success" : "run.interrupted";
    response.setHeader("content-type", "text/event-stream");
    response.end(`id: 0-${seq}\ndata: ${JSON.stringify({ ...event, type })}\n\n`);
  });
  const program = typing(
    [
      ["runfleet resume", ""],
      ["> ", "yes\r"],
    ],
    [...commandLine, "tail", "run_1"],
  );
  expect(await start(program, url).ended).toMatchObject({
    code: 0,
    out: expect.stringMatching(/not waiting for an answer\.[\s\S]*✓ success/),
  });
});
