import { afterAll, beforeAll, expect, it } from "vitest";
import { withDocs } from "../../../api/system/with-docs.ts";
import { type RunningApp, listen } from "../http/listen.ts";
import { samples } from "../http/samples.ts";

let app: RunningApp;
beforeAll(async () => {
  app = await listen(withDocs(samples));
});
afterAll(() => app.close());

it("serves the OpenAPI document of all operations, itself among them", async () => {
  const document = await (await fetch(`${app.url}/openapi.json`)).json();
  expect(document).toMatchObject({ openapi: "3.1.0", info: { title: "Runfleet", version: "2.0.0" } });
  expect(Object.keys(Object(document).paths)).toEqual([
    ...new Set(samples.map(({ path }) => path)),
    "/openapi.json",
    "/runfleet.schema.json",
    "/docs",
    "/redoc",
    "/docs/assets/{name}",
  ]);
});

it.each(["/docs", "/redoc"])("serves %s with every file it names, from here alone", async (path) => {
  const page = await fetch(`${app.url}${path}`);
  expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
  const html = await page.text();
  const files = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file]) => file ?? "");
  expect(files.length).toBeGreaterThanOrEqual(3);
  for (const file of files) {
    expect(file).toMatch(/^\/docs\/assets\//);
    const asset = await fetch(`${app.url}${file}`);
    expect([asset.status, asset.headers.get("x-content-type-options")]).toEqual([200, "nosniff"]);
    expect((await asset.arrayBuffer()).byteLength).toBeGreaterThan(50);
  }
});

it("lets the pages run their own scripts only, over plain http too", async () => {
  const policy = (await fetch(`${app.url}/docs`)).headers.get("content-security-policy");
  expect(policy).toContain("script-src 'self';");
  expect(policy).not.toContain("upgrade-insecure-requests");
});

it.each(["nope.js", "..%2F..%2Fpackage.json", "%2Fetc%2Fpasswd"])("answers 404 for the asset %s", async (name) => {
  expect((await fetch(`${app.url}/docs/assets/${name}`)).status).toBe(404);
});
