import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { expect, test, vi } from "vitest";
import { createRandom } from "../../chaos/random.ts";
import { redactBytes } from "../../gateway/redact-bytes.ts";

const redact = (pieces: Buffer[], texts: string[]): Promise<Buffer> =>
  buffer(Readable.from(pieces).pipe(redactBytes(texts, (act) => act())));

/** The plain way: at each place the longest text. */
function expected(text: string, texts: string[]): string {
  let said = "";
  for (let at = 0; at < text.length;) {
    const found = texts.filter((one) => text.startsWith(one, at)).toSorted((a, b) => b.length - a.length)[0];
    said += found ? "[redacted]" : text[at];
    at += found?.length ?? 1;
  }
  return said;
}

test("a text is replaced wherever it is, also next to and over itself", async () => {
  const random = createRandom("redact");
  const word = (length: number) => Array.from({ length }, () => "ab"[random.below(2)]).join("");
  for (let round = 0; round < 500; round += 1) {
    const texts = [word(2 + random.below(6)), word(2 + random.below(6))].map((one) => `-${one}-`);
    const text = Array.from({ length: 1 + random.below(12) }, () =>
      random.below(2) === 0 ? (texts[random.below(2)] ?? "") : `-${word(random.below(8))}`,
    ).join("");
    const cut = random.below(text.length + 1);
    const pieces = [Buffer.from(text.slice(0, cut)), Buffer.from(text.slice(cut))];
    // Cut into pieces, the longest that has come is replaced.
    const said = (await redact(pieces, texts)).toString();
    expect(texts.filter((one) => said.includes(one))).toEqual([]);
    expect((await redact([Buffer.from(text)], texts)).toString()).toBe(expected(text, texts));
  }
});

test("a service that repeats the key keeps nobody waiting: each byte is searched once for each form of the key", async () => {
  const texts = ['aaaaaa"/', 'aaaaaa\\"/', "YWFhYWFhIi8=", "aaaaaa%22%2F"];
  const count = 5_000;
  const search = vi.spyOn(Buffer.prototype, "indexOf");
  const said = await redact([Buffer.from(texts[0]?.repeat(count) ?? "")], texts);
  const searches = search.mock.calls.length;
  search.mockRestore();
  expect(said.toString()).toBe("[redacted]".repeat(count));
  expect(searches).toBeLessThanOrEqual(count + 2 * texts.length);
});
