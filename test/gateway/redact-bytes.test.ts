import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { expect, test } from "vitest";
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

test("a service that says almost the key keeps nobody waiting: each byte is looked at once, whatever the key's forms are", async () => {
  const half = "a".repeat(32_768);
  const timeOf = async (texts: string[]): Promise<number> => {
    const before = process.cpuUsage();
    await redact([Buffer.from(half.repeat(8))], texts);
    return process.cpuUsage(before).user;
  };
  // What is none of its beginnings is compared with the half of it that is nearly there at each byte.
  const usual = Math.max(await timeOf(["b".repeat(65_536)]), await timeOf(["b".repeat(65_536)]));
  expect(await timeOf([`${half}b${half}`])).toBeLessThan(20 * usual + 100_000);
  expect((await redact([Buffer.from("x'y/".repeat(5_000))], ["x'y/", "x'y"])).toString()).toBe(
    "[redacted]".repeat(5_000),
  );
});
