import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";

const scratch = mkdtempSync(join(tmpdir(), "image-"));
afterAll(() => rm(scratch, { recursive: true }));
const dockerfile = readFileSync("deploy/Dockerfile", "utf8");

/** The exit code of the image's health check. */
const check = (env: Record<string, string>): Promise<number | null> =>
  new Promise((resolve) => {
    const child = execFile(process.execPath, ["deploy/is-healthy.mjs"], { env });
    child.once("exit", (code) => resolve(code));
  });

test("a worker is healthy as long as its last sign of life counts, and not before its first", async () => {
  const file = join(scratch, "alive");
  expect(await check({ ALIVE_FILE: file })).toBe(1);
  writeFileSync(file, String(Date.now() + 60_000));
  expect(await check({ ALIVE_FILE: file })).toBe(0);
  writeFileSync(file, String(Date.now() - 1));
  expect(await check({ ALIVE_FILE: file })).toBe(1);
});

test("an API is healthy while it answers that it lives", async () => {
  const server = createServer((request, response) =>
    response.writeHead(request.url === "/health/live" ? 200 : 404).end(),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  expect(await check({ PORT: String(port) })).toBe(0);
  await new Promise((resolve) => server.close(resolve));
  expect(await check({ PORT: String(port) })).toBe(1);
});

test("the image brings what agents need, an init that reaps, and no test", () => {
  for (const name of ["bubblewrap", "ca-certificates", "python3", "python3-pip", "tini"])
    expect(dockerfile).toMatch(new RegExp(` ${name}\\b`));
  expect(dockerfile).toMatch(/^ENTRYPOINT .*tini/m);
  expect(dockerfile).toMatch(/^USER node$/m);
  expect(dockerfile).toMatch(/^HEALTHCHECK .*is-healthy\.mjs/m);
  for (const folder of ["test", "bench", "chaos", "dev"]) expect(dockerfile).toContain(`dist/${folder}`);
});

test("dead name servers of one receiver don't stop the look-ups of others: Node has threads for 32 at once", () => {
  expect(dockerfile).toMatch(/^ENV .*\bUV_THREADPOOL_SIZE=64\b/m);
});

test("the image lists its packages once those of development are gone", () => {
  const [pruned = -1, listed = -1] = ["npm prune --omit=dev", "npm sbom "].map((step) => dockerfile.indexOf(step));
  expect(pruned).toBeGreaterThan(0);
  expect(listed).toBeGreaterThan(pruned);
  expect(dockerfile).toMatch(/^COPY --from=build .*sbom\.json/m);
});

test("both stages are of one image, which may be named by its digest", () => {
  expect([...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, from]) => from)).toEqual(["${NODE_IMAGE}", "${NODE_IMAGE}"]);
  expect(dockerfile).toMatch(/^ARG NODE_IMAGE=node:\d+-\w+-slim$/m);
});

test("each file that the image copies is there", () => {
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, files = ""]) => files.split(" "));
  expect(copied.length).toBeGreaterThan(3);
  expect(copied.filter((file) => !existsSync(file))).toEqual([]);
});
