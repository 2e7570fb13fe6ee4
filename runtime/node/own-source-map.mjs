// Leaves the packages out of a bundle's source map: it shows the author's own lines, and loads fast.

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const valueOf = new Map([...digits].map((digit, at) => /** @type {const} */ ([digit, at])));

/**
 * Returns the numbers of a segment: base64 VLQ, as source maps of version 3 have them.
 * @param {string} segment
 */
function decode(segment) {
  const numbers = [];
  let [number, shift] = [0, 0];
  for (const digit of segment) {
    const value = valueOf.get(digit) ?? 0;
    number += (value & 31) << shift;
    shift += 5;
    if (value & 32) continue;
    numbers.push(number & 1 ? -(number >>> 1) : number >>> 1);
    [number, shift] = [0, 0];
  }
  return numbers;
}

/** @param {number[]} numbers */
function encode(numbers) {
  return numbers
    .map((number) => {
      let rest = number < 0 ? (-number << 1) | 1 : number << 1;
      let text = "";
      do {
        const more = rest >>> 5;
        text += digits[(rest & 31) | (more > 0 ? 32 : 0)];
        rest = more;
      } while (rest > 0);
      return text;
    })
    .join("");
}

/**
 * @param {number[]} numbers
 * @param {number[]} others
 * @param {1 | -1} sign
 */
const add = (numbers, others, sign) => numbers.map((number, at) => number + sign * (others[at] ?? 0));

/**
 * Returns a source map without the segments of files below `node_modules`, and without names.
 * @param {string} json
 */
export function keepOwnSources(json) {
  /** @type {{ sources: string[], mappings: string }} */
  const map = JSON.parse(json);
  const kept = map.sources.map((source) => !source.split("/").includes("node_modules"));
  const numberOf = kept.map((isKept, at) => (isKept ? kept.slice(0, at).filter(Boolean).length : -1));
  // The fields of a segment count from those of the one before, over all lines: read and written apart.
  let read = [0, 0, 0];
  let written = [0, 0, 0];
  /** @param {string} line */
  const keepOwn = (line) => {
    let [column, writtenColumn] = [0, 0];
    /** @type {string[]} */
    const segments = [];
    for (const segment of line.split(",")) {
      const [moved = 0, ...fields] = decode(segment);
      column += moved;
      if (fields.length < 3) continue;
      read = add(read, fields, 1);
      const own = [numberOf[read[0] ?? 0] ?? -1, ...read.slice(1)];
      if ((own[0] ?? -1) < 0) continue;
      segments.push(encode([column - writtenColumn, ...add(own, written, -1)]));
      writtenColumn = column;
      written = own;
    }
    return segments.join(",");
  };
  const mappings = map.mappings.split(";").map(keepOwn);
  // Not by a pattern like /;+$/: it would begin anew at each of the packages' empty lines.
  const length = mappings.findLastIndex((line) => line !== "") + 1;
  const sources = map.sources.filter((_, at) => kept[at]);
  return JSON.stringify({ version: 3, sources, names: [], mappings: mappings.slice(0, length).join(";") });
}
