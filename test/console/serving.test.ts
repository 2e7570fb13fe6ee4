import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { useTestStack } from "../harness/test-stack.ts";

const site = join(import.meta.dirname, "../../dist/console/site");
const stack = await useTestStack();
const { url } = await stack.openApi();

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url + path, { headers, redirect: "manual" });

test("browsers are led from the service's address to the console, and programs get JSON as ever", async () => {
  const page = await get("/", { accept: "text/html,*/*" });
  expect([page.status, page.headers.get("location")]).toEqual([302, "/console/"]);
  expect(await (await get("/", { accept: "*/*" })).json()).toMatchObject({ name: "runfleet" });
  expect((await get("/console")).headers.get("location")).toBe("/console/");
});

test("every path of the console is its page, with a policy that lets in nothing foreign, and which works over http", async () => {
  const page = await get("/console/runs/run_1");
  expect(page.status).toBe(200);
  expect(page.headers.get("cache-control")).toBe("no-store");
  const policy = page.headers.get("content-security-policy") ?? "";
  expect(policy).toContain("default-src 'none'; script-src 'self'; ");
  expect(policy).toContain("require-trusted-types-for 'script'");
  expect(policy).not.toMatch(/upgrade-insecure-requests|unsafe|https?:/);
  const nonce = /'nonce-([\w-]+)'/.exec(policy)?.[1];
  expect(await page.text()).toContain(`content="${nonce}"`);
  expect((await get("/console/")).headers.get("content-security-policy")).not.toBe(policy);
});

test("a file with a hash is kept for a year, comes compressed as the browser takes it, and one that is not there is a 404", async () => {
  const html = await (await get("/console/")).text();
  const script = /src="(\/console\/assets\/[^"]+\.js)"/.exec(html)?.[1] ?? "";
  for (const encoding of ["br", "gzip"]) {
    const file = await get(script, { "accept-encoding": encoding });
    expect(file.headers.get("content-encoding")).toBe(encoding);
    expect(file.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(await file.text()).toContain("React");
  }
  expect((await get(script, { "accept-encoding": "identity" })).headers.get("content-encoding")).toBe(null);
  expect((await get("/console/theme.js")).headers.get("cache-control")).toBe("no-cache");
  expect((await get("/console/assets/gone.js")).status).toBe(404);
  expect((await fetch(`${url}/console/runs`, { method: "POST" })).status).toBe(404);
});

type Chunk = { file: string; isEntry?: boolean; imports?: string[]; css?: string[] };
const manifest = JSON.parse(readFileSync(join(site, "manifest.json"), "utf8")) as Record<string, Chunk>;

/** What is loaded with a chunk, by its name in the manifest. */
function closure(name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found;
  found.add(name);
  for (const one of manifest[name]?.imports ?? []) closure(one, found);
  return found;
}
const sizeOf = (file: string): number => readFileSync(join(site, `${file}.gz`)).byteLength / 1024;
const sum = (files: string[]): number => files.reduce((total, file) => total + sizeOf(file), 0);

test("the first page is at most 150 KiB of compressed script and 12 of styles, and a further one at most 30", () => {
  const [entry = ""] = Object.keys(manifest).filter((name) => manifest[name]?.isEntry);
  const first = [...closure(entry)];
  expect(sum(first.map((name) => manifest[name]?.file ?? ""))).toBeLessThan(150);
  expect(sum(first.flatMap((name) => manifest[name]?.css ?? []))).toBeLessThan(12);
  for (const page of Object.keys(manifest).filter((name) => name.endsWith("-page.tsx"))) {
    const more = [...closure(page)].filter((name) => !first.includes(name));
    expect([page, sum(more.map((name) => manifest[name]?.file ?? "")) < 30]).toEqual([page, true]);
  }
});
