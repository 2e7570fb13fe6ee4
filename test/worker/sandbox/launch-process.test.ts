import { execFile } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { launchProcess } from "../../../worker/sandbox/launch-process.ts";

const options = { file: "/bin/sh", env: {}, uid: null, extraPipes: 0, strayFds: [] };

test("what a process said before its end is there for a reader who comes late", async () => {
  const { events, stdout, stderr, exited } = await launchProcess({
    ...options,
    args: ["-c", "echo result >&3; echo out; echo err >&2"],
  });
  await exited;
  // Longer than held pipes are given. A busy worker takes as long to come to its reading.
  await sleep(400);
  expect(await Promise.all([events, stdout, stderr].map((stream) => text(stream)))).toEqual([
    "result\n",
    "out\n",
    "err\n",
  ]);
});

test("what was said on a paused pipe is there as well", async () => {
  const { events, exited } = await launchProcess({ ...options, args: ["-c", "echo one >&3; sleep 0.3; echo two >&3"] });
  const first = await new Promise<string>((resolve) =>
    events.once("data", (chunk: Buffer) => {
      events.pause();
      resolve(chunk.toString());
    }),
  );
  await exited;
  await sleep(400);
  expect([first, await text(events)]).toEqual(["one\n", "two\n"]);
});

test("pipes that something holds after the process' end are ended, with what was said on them", async () => {
  const holding = { ...options, args: ["-c", "echo out; sleep 60 & exit 0"] };
  const { pid, stdout, stderr, events, exited } = await launchProcess(holding);
  await exited;
  // The holder would keep the pipes open for a minute.
  expect(await Promise.all([stdout, stderr, events].map((stream) => text(stream)))).toEqual(["out\n", "", ""]);
  expect([stdout, stderr, events].map(({ destroyed }) => destroyed)).toEqual([true, true, true]);
  process.kill(-pid, "SIGKILL");
});

test("and so they are when nobody reads them", async () => {
  const { pid, stderr, events, exited } = await launchProcess({ ...options, args: ["-c", "sleep 60 & exit 0"] });
  const closed = Promise.all([once(stderr, "close"), once(events, "close")]);
  await exited;
  await closed;
  process.kill(-pid, "SIGKILL");
});

const untilDescriptorsDo = `
  import { closeSync, openSync } from "node:fs";
  import { launchProcess } from ${JSON.stringify(new URL("../../../dist/worker/sandbox/launch-process.js", import.meta.url).href)};
  const held = [];
  try {
    for (;;) held.push(openSync("/dev/zero"));
  } catch {}
  const came = [];
  while (came.at(-1) !== "started") {
    const options = { file: "/bin/true", args: [], env: {}, uid: null, extraPipes: 0, strayFds: [100] };
    came.push(await launchProcess(options).then(({ exited }) => exited.then(() => "started"), ({ name }) => name));
    // As Node leaves some open when it has too few for a process' pipes.
    for (const fd of held.splice(-10)) closeSync(fd);
  }
  console.log(JSON.stringify([...new Set(came)]));
`;

test("whatever a process that has no descriptors left can't open, it is a sandbox that can't be had", async () => {
  const node = [process.execPath, "--input-type=module", "-e", untilDescriptorsDo];
  const { stdout } = await promisify(execFile)("/bin/sh", ["-c", 'ulimit -n 128 && exec "$@"', "sh", ...node]);
  expect(JSON.parse(stdout)).toEqual(["SandboxUnavailable", "started"]);
});
