import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

export type Ran = { code: number | null; out: string; err: string };

/** What starts the command line that was built. */
export const commandLine = [process.execPath, join(import.meta.dirname, "../../dist/cli/main.js")];

type Where = { env: Record<string, string | undefined>; cwd: string; stdin?: string };

/** Starts a program. `ended`: its exit code and all that it has written. */
export function startProgram([file = "", ...args]: string[], { env, cwd, stdin = "" }: Where) {
  const child = spawn(file, args, { cwd, env });
  child.stdin.end(stdin);
  const said = { out: "", err: "" };
  child.stdout.on("data", (chunk: Buffer) => (said.out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (said.err += chunk.toString()));
  const ended = new Promise<Ran>((resolve) => child.on("close", (code) => resolve({ code, ...said })));
  return { child, said, ended };
}

/** Returns the program that types into another one's terminal: each text as soon as the words before it were seen. */
export const typing = (steps: [seen: string, typed: string][], program: string[]): string[] => [
  "python3",
  "-c",
  "import json,os,pty,sys\nsteps=json.loads(sys.argv[1])\npid,fd=pty.fork()\nif pid==0: os.execv(sys.argv[2],sys.argv[2:])\n" +
    "seen=b''\nfrom_=0\ntry:\n  while True:\n    part=os.read(fd,65536)\n    if not part: break\n    seen+=part\n" +
    "    while steps and (at:=seen.find(steps[0][0].encode(),from_))>=0:\n      from_=at+len(steps[0][0].encode()); os.write(fd,steps.pop(0)[1].encode())\n" +
    "except OSError: pass\nsys.stdout.buffer.write(seen)\nsys.exit(os.waitstatus_to_exitcode(os.waitpid(pid,0)[1]))",
  JSON.stringify(steps),
  ...program,
];

/** Answers requests in a service's place until the test ends. `asked`: each request, as `GET /health/live`. */
export async function standIn(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method ?? ""} ${request.url ?? ""}`);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

/** Returns a folder with these files, which is removed when the test ends. */
export function makeFolder(files: Record<string, string> = {}): string {
  const folder = mkdtempSync("/var/tmp/runfleet-cli-");
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

/** Runs the command line in a folder, which is the user's own, too. */
export function runIn(
  folder: string,
  args: string[],
  { env = {}, stdin = "" }: { env?: Record<string, string>; stdin?: string } = {},
): Promise<Ran> {
  const all = { PATH: process.env["PATH"], HOME: folder, ...env };
  return startProgram([...commandLine, ...args], { env: all, cwd: folder, stdin }).ended;
}
