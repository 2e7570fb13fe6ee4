import type { Random } from "../random.ts";

const oddNumbers = [
  "0",
  "-0",
  "-1",
  "1e999",
  "-1e999",
  "1e-999",
  "9007199254740993",
  "99999999999999999999",
  "0.1e1",
  "00",
  "0x10",
  "NaN",
  "Infinity",
  "2147483648",
  "4294967296",
];
const oddTexts = [
  "",
  "\0",
  "\r\n",
  "\n\n",
  "\r",
  "\t",
  "\u2028",
  "\ufeff",
  "\u202e",
  "\ud800",
  "\udfff\ud800",
  "\u{10ffff}",
  "e\u0301",
  "__proto__",
  "constructor",
  "toString",
  "%00",
  "%",
  "\\u0000",
  "\\ud800",
  "\\",
  '"',
  "'",
  "../..",
  "data:;base64,",
  ":",
  ";",
  ",",
  " ",
];
const oddTokens = [
  "null",
  "true",
  "[]",
  "{}",
  '""',
  "[",
  "]",
  "{",
  "}",
  '{"type":',
  '"type":"result"',
  "HTTP/1.1 ",
  "Transfer-Encoding: chunked\r\n",
  "Content-Length: 5\r\n",
  "Connection: close\r\n",
  "Trailer: X\r\n",
  "0\r\n\r\n",
  "data: ",
  "event: ",
  "id: ",
  ":\n",
  "retry: 1\n",
];

type Change = (input: Buffer, random: Random, samples: readonly Buffer[]) => Buffer;

const at = (input: Buffer, random: Random): number => random.below(input.length + 1);
const insert = (input: Buffer, place: number, part: Buffer): Buffer =>
  Buffer.concat([input.subarray(0, place), part, input.subarray(place)]);
const pick = (list: readonly string[], random: Random): string => list[random.below(list.length)] ?? "";

/** Picks a slice, which is more often short than long. */
function slice(input: Buffer, random: Random): { from: number; to: number } {
  const from = at(input, random);
  return { from, to: Math.min(input.length, from + random.below(random.chance(0.7) ? 16 : input.length + 1)) };
}

const flipBits: Change = (input, random) => {
  const changed = Buffer.from(input);
  for (let count = 1 + random.below(8); count > 0 && changed.length > 0; count -= 1) {
    const place = random.below(changed.length);
    changed[place] = (changed[place] ?? 0) ^ (1 << random.below(8));
  }
  return changed;
};
const truncate: Change = (input, random) => input.subarray(0, at(input, random));
const cut: Change = (input, random) => {
  const { from, to } = slice(input, random);
  return Buffer.concat([input.subarray(0, from), input.subarray(to)]);
};
const repeat: Change = (input, random) => {
  const { from, to } = slice(input, random);
  const times = random.chance(0.02) ? 2_000 : 1 + random.below(8);
  return insert(
    input,
    to,
    Buffer.concat(Array.from({ length: times }, () => input.subarray(from, Math.min(to, from + 64)))),
  );
};
const splice: Change = (input, random, samples) => {
  const other = samples[random.below(samples.length)] ?? input;
  return Buffer.concat([input.subarray(0, at(input, random)), other.subarray(at(other, random))]);
};
const addText: Change = (input, random) => insert(input, at(input, random), Buffer.from(pick(oddTexts, random)));
const addToken: Change = (input, random) => insert(input, at(input, random), Buffer.from(pick(oddTokens, random)));
const addBytes: Change = (input, random) =>
  insert(input, at(input, random), Buffer.from(Array.from({ length: 1 + random.below(16) }, () => random.below(256))));

/** Replaces one number, word or string. */
const replaceToken: Change = (input, random) => {
  const text = input.toString("latin1");
  const tokens = [...text.matchAll(/"(?:[^"\\]|\\.){0,64}"|-?\d+(?:\.\d+)?|[A-Za-z_][\w-]*/g)];
  const token = tokens[random.below(tokens.length)];
  if (!token) return input;
  const word = random.pick([pick(oddNumbers, random), JSON.stringify(pick(oddTexts, random)), pick(oddTokens, random)]);
  return Buffer.from(text.slice(0, token.index) + word + text.slice(token.index + token[0].length), "latin1");
};
const nest: Change = (input, random) => {
  const depth = random.chance(0.02) ? 100_000 : 1 + random.below(200);
  const [open, close] = random.chance(0.5) ? ["[", "]"] : ['{"a":', "}"];
  const { from, to } = slice(input, random);
  const closes = random.chance(0.8) ? close.repeat(depth) : "";
  return Buffer.concat([
    input.subarray(0, from),
    Buffer.from(open.repeat(depth)),
    input.subarray(from, to),
    Buffer.from(closes),
    input.subarray(to),
  ]);
};
const lengthen: Change = (input, random) => {
  const length = random.chance(0.05) ? 300_000 : random.below(2_000);
  return insert(
    input,
    at(input, random),
    Buffer.alloc(length, pick(["x", "\n", "\r", " ", "0", '"', "\\", "\u00e9", "[", ":"], random)),
  );
};

const changes: readonly [Change, ...Change[]] = [
  flipBits,
  truncate,
  cut,
  repeat,
  splice,
  addText,
  addToken,
  addBytes,
  replaceToken,
  replaceToken,
  nest,
  lengthen,
];

/** Returns a sample that was changed up to four times. The same for the same state of `random`. */
export function mutate(samples: readonly [Buffer, ...Buffer[]], random: Random): Buffer {
  let input: Buffer = random.pick(samples);
  for (let count = random.below(5); count > 0; count -= 1) input = random.pick(changes)(input, random, samples);
  return input;
}

/** Splits an input as a socket may. */
export function chunksOf(input: Buffer, random: Random): Buffer[] {
  const chunks: Buffer[] = [];
  const most = random.chance(0.3) ? 8 : 4_096;
  let from = 0;
  while (from < input.length) {
    const length = chunks.length > 500 ? input.length : 1 + random.below(most);
    chunks.push(input.subarray(from, from + length));
    from += length;
  }
  return chunks;
}
