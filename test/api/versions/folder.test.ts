import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { call } from "../../harness/client.ts";
import { useTestStack } from "../../harness/test-stack.ts";
import { paxHeader, tarEntry, tarOf } from "../../worker/environments/make-archive.ts";

const stack = await useTestStack();
const { url } = await stack.startService();
const folder = mkdtempSync("/var/tmp/runfleet-folder-");
afterAll(() => rmSync(folder, { recursive: true }));

let made = 0;
async function newAgent(): Promise<string> {
  const id = `folder-${(made += 1)}`;
  await call(url, "POST", "/v1/agents", { id, user_id: "a", name: id });
  return id;
}
async function upload(id: string, body: Uint8Array, fields: unknown = {}, type = "application/gzip") {
  const query = `fields=${encodeURIComponent(JSON.stringify(fields))}`;
  const init = { method: "POST", headers: { "content-type": type }, body };
  const response = await fetch(`${url}/v1/versions/${id}?${query}`, init);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}
const tar = (files: Record<string, string | Uint8Array>, ...options: string[]): Buffer => {
  const place = mkdtempSync(join(folder, "packed-"));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place, name)), { recursive: true });
    writeFileSync(join(place, name), text);
  }
  return execFileSync("tar", ["-C", place, ...options, "-czf", "-", "."], { maxBuffer: 1 << 28 });
};
const main =
  "def main(input):\n    return {'size': len(open('data.bin', 'rb').read()), 'text': open('lib/ä.txt').read()}\n";
const long = `deep/${"x".repeat(60)}/${"y".repeat(60)}/f.txt`;

test.each([["--format=gnu"], ["--format=pax"], ["--format=ustar"]])(
  "a folder is published as tar packs it: %s",
  async (format) => {
    const id = await newAgent();
    const files = { "main.py": main, "data.bin": Buffer.alloc(3 * 1024 * 1024, 200), "lib/ä.txt": "text", [long]: "f" };
    const config = { entrypoint: "main.py:main", env: { A: "1" } };
    const published = await upload(id, tar(files, format), { make_current: true, config });
    expect(published).toMatchObject({ status: 201, body: { current: true, state: "ready" } });
    const { body } = await call(url, "GET", `/v1/versions/${id}/current`);
    const stored = body["config"] as { files: Record<string, string>; env: unknown };
    expect(Object.keys(stored.files).toSorted()).toEqual(Object.keys(files).toSorted());
    expect(stored.env).toEqual({ A: "1" });
    expect((await upload(id, tar(files, format), { config })).status).toBe(200);
    const run = await call(url, "POST", "/v1/execute", { agent_id: id, version: "current" }, { prefer: "wait=25" });
    expect(run.body["result_content"]).toEqual({ size: 3 * 1024 * 1024, text: "text" });
  },
);

test("a folder is larger than JSON may be, and its code runs", async () => {
  const id = await newAgent();
  const files = Object.fromEntries(
    Array.from({ length: 4 }, (_, at) => [`d${at}.txt`, `${at}`.repeat(4 * 1024 * 1024)]),
  );
  const source = "def main(input):\n    return {'n': sum(len(open(f'd{i}.txt').read()) for i in range(4))}\n";
  expect((await upload(id, tar({ ...files, "main.py": source }), { make_current: true })).status).toBe(201);
  const run = await call(url, "POST", "/v1/execute", { agent_id: id, version: "current" }, { prefer: "wait=25" });
  expect(run.body).toMatchObject({ status: "success", result_content: { n: 16 * 1024 * 1024 } });
});

const entry = (name: string, more: Partial<Parameters<typeof tarEntry>[0]> = {}) =>
  tarEntry({ name, body: "x = 1", ...more });
const packed = (...entries: Uint8Array[]) => gzipSync(tarOf(...entries));

test.each<[string, () => Uint8Array, number, RegExp]>([
  ["a way out", () => packed(entry("../x.py")), 422, /plain relative path/],
  ["a way out inside", () => packed(entry("a/../../x.py")), 422, /plain relative path/],
  ["an absolute path", () => packed(entry("/etc/x.py")), 422, /plain relative path/],
  [
    "a way out in a pax header",
    () => packed(paxHeader({ path: "../../x" }), entry("x.py")),
    422,
    /plain relative path/,
  ],
  [
    "a way out in a GNU name",
    () => packed(entry("l", { type: "L", body: "../../x\0" }), entry("x.py")),
    422,
    /plain relative/,
  ],
  ["a symbolic link", () => packed(entry("x", { type: "2", body: "", linkname: "/etc/passwd" })), 422, /is a link/],
  ["a hard link", () => packed(entry("x", { type: "1", body: "", linkname: "y" })), 422, /is a link/],
  ["a device", () => packed(entry("x", { type: "3", body: "" })), 422, /neither a file nor a folder/],
  ["a pipe", () => packed(entry("x", { type: "6", body: "" })), 422, /neither a file nor a folder/],
  ["a sparse file", () => packed(entry("x", { type: "S", body: "" })), 422, /neither a file nor a folder/],
  ["the same name twice", () => packed(entry("a.py"), entry("./a.py")), 422, /stands twice/],
  ["names that differ by case", () => packed(entry("a.py"), entry("A.py")), 422, /one name on some machines/],
  ["folders that differ by case", () => packed(entry("a/x.py"), entry("A/y.py")), 422, /one name on some machines/],
  ["names that differ by composition", () => packed(entry("\u00e9.py"), entry("e\u0301.py")), 422, /one name on some/],
  ["a file that is a folder", () => packed(entry("a"), entry("a/b.py")), 422, /stands twice/],
  ["a NUL in a name", () => packed(paxHeader({ path: "a\0b" }), entry("x")), 422, /plain relative path/],
  ["a name that is no text", () => packed(entry("", { name: new Uint8Array([0xff, 0xfe]) })), 422, /not UTF-8/],
  ["a wrong checksum", () => packed(entry("a", { checksum: "000000\0 " })), 422, /checksum/],
  ["a size beyond the end", () => packed(entry("a", { size: "77777777777" })), 422, /is cut/],
  ["a negative size", () => packed(entry("a", { size: "-0000000001" })), 422, /not octal/],
  ["no tar", () => gzipSync("hello".repeat(1_000)), 422, /no tar archive/],
  ["no gzip", () => Buffer.from("PK\x03\x04 a zip"), 422, /not compressed by gzip/],
  ["a cut archive", () => gzipSync(tarOf(entry("a.py"))).subarray(0, 60), 422, /not compressed by gzip, or it is cut/],
  ["a bomb", () => gzipSync(Buffer.alloc(200 * 1024 * 1024)), 413, /more than \d+ bytes when it is unpacked/],
  ["too many bytes", () => Buffer.alloc(17 * 1024 * 1024), 413, /larger than the limit/],
  ["a deep path", () => packed(paxHeader({ path: `${"a/".repeat(40)}x` }), entry("x")), 422, /deeper than 32/],
  [
    "a name of a million slashes",
    () => packed(entry("l", { type: "L", body: `${"/".repeat(1_000_000)}a` }), entry("x", { type: "5", body: "" })),
    422,
    /more than 65536 bytes/,
  ],
  [
    "a name of slashes alone",
    () => packed(entry("l", { type: "L", body: `a${"/".repeat(60_000)}b` }), entry("x", { type: "5", body: "" })),
    422,
    /1 to 255 bytes/,
  ],
  [
    "headers without an entry",
    () => packed(...Array.from({ length: 40_001 }, () => entry("g", { type: "g", body: "" }))),
    422,
    /more than 40000 headers/,
  ],
  [
    "too many entries",
    () => packed(...Array.from({ length: 10_001 }, (_, at) => entry(`f${at}`, { body: "" }))),
    422,
    /more than 10000 entries/,
  ],
])("an archive that isn't a folder's is refused with the reason: %s", async (_, body, status, reason) => {
  const id = await newAgent();
  const answer = await upload(id, body());
  expect(answer.status).toBe(status);
  expect(JSON.stringify(answer.body)).toMatch(reason);
  expect((await call(url, "GET", `/v1/versions/${id}`)).body["data"]).toHaveLength(1);
});

test("the other fields may come in the archive's global header, as long as they like; those of the query take their place", async () => {
  const id = await newAgent();
  const env = { LONG: "l".repeat(30_000) };
  const archive = (fields: string) => packed(paxHeader({ "RUNFLEET.fields": fields }, "g"), entry("main.py"));
  const send = (body: Uint8Array, query = "") =>
    fetch(`${url}/v1/versions/${id}${query}`, {
      method: "POST",
      headers: { "content-type": "application/gzip" },
      body,
    });
  const fields = JSON.stringify({ version: "2.0.0", config: { env } });
  expect((await send(archive(fields))).status).toBe(201);
  const { body } = await call(url, "GET", `/v1/versions/${id}/2.0.0`);
  expect(body["config"]).toMatchObject({ env, files: { "main.py": "x = 1" } });
  expect((await send(archive(fields), "?fields=%7B%22version%22%3A%223.0.0%22%7D")).status).toBe(201);
  expect((await call(url, "GET", `/v1/versions/${id}/3.0.0`)).body["config"]).not.toHaveProperty("env");
  for (const wrong of ["{", "[]", '{"colour": 1}', "[".repeat(100)])
    expect((await send(archive(wrong))).status).toBe(422);
  expect((await send(archive("x".repeat(7 * 1024 * 1024)))).status).toBe(413);
});

test("a name may begin with as many './' as it likes", async () => {
  const id = await newAgent();
  const named = paxHeader({ path: `${"./".repeat(30_000)}main.py` });
  expect((await upload(id, packed(named, entry("x")))).status).toBe(201);
});

test("a link that tar follows not is refused, and other content types are no folder", async () => {
  const id = await newAgent();
  const place = mkdtempSync(join(folder, "link-"));
  symlinkSync("/etc/passwd", join(place, "passwd"));
  const linked = execFileSync("tar", ["-C", place, "-czf", "-", "."]);
  expect((await upload(id, linked)).status).toBe(422);
  expect((await upload(id, linked, {}, "application/octet-stream")).status).toBe(422);
  expect((await upload(id, tar({ "main.py": "x = 1" }), [])).status).toBe(422);
  expect((await upload(id, tar({ "main.py": "x = 1" }), { version: "latest" })).status).toBe(422);
  expect((await upload(id, tar({ "main.py": "x = 1" }), { colour: 1 })).status).toBe(422);
  expect((await call(url, "POST", `/v1/versions/${id}?fields=%7B%7D`, {})).status).toBe(422);
  expect((await upload("nobody", tar({ "main.py": "x = 1" }))).status).toBe(404);
  const syntax = await upload(id, tar({ "main.py": "def (" }));
  expect(syntax).toMatchObject({ status: 422, body: { detail: [{ loc: ["body", "config", "files", "main.py"] }] } });
});
