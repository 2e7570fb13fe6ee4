import { expect, test, vi } from "vitest";
import { makeFolder, runIn, standIn } from "../harness/command-line.ts";

// Each command is a process of its own.
vi.setConfig({ testTimeout: 90_000 });

test("the first login of a profile tells what is wrong: the key, the address, or that none was given", async () => {
  const { url } = await standIn((_request, response) => response.writeHead(401).end('{"detail": "Unknown key."}'));
  const folder = makeFolder();
  const login = (to: string, stdin: string) =>
    runIn(folder, ["login", "--profile", "prod", "--url", to], { stdin, env: { RUNFLEET_URL: url } });
  expect(await login(url, "wrong\n")).toMatchObject({ code: 3, err: expect.stringContaining("runfleet login") });
  const away = "http://127.0.0.1:9";
  expect(await login(away, "wrong\n")).toMatchObject({ code: 6, err: expect.stringContaining(away) });
  expect(await login(url, "")).toMatchObject({ code: 2, err: "No key was given.\n" });
});
