import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { makeFolder, runIn, standIn } from "../harness/command-line.ts";
import { waitFor } from "../harness/wait-for.ts";

// Each command is a process of its own.
vi.setConfig({ testTimeout: 90_000 });

test("console starts the browser with the address that signs in; with --json the address is only printed", async () => {
  const { url } = await standIn((_request, response) =>
    response.setHeader("content-type", "application/json").end('{"auth_mode": "key", "principal": {}, "code": "once"}'),
  );
  const folder = makeFolder({ browser: '#!/bin/sh\necho "$1" >> "$HOME/opened"\n' });
  const opened = join(folder, "opened");
  const env = { RUNFLEET_URL: url, BROWSER: join(folder, "browser") };
  chmodSync(env.BROWSER, 0o755);
  const address = `${url}/console/#code=once`;
  const printed = await runIn(folder, ["console", "--json"], { env });
  expect(printed).toEqual({ code: 0, out: `${JSON.stringify({ url: address })}\n`, err: "" });
  expect(await runIn(folder, ["console"], { env })).toMatchObject({ code: 0, out: `${address}\n` });
  // One browser was started, by the second command.
  expect(await waitFor(() => existsSync(opened) && readFileSync(opened, "utf8"), 60_000)).toBe(`${address}\n`);
});
