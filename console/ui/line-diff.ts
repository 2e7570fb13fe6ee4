export type DiffLine = { kind: "same" | "added" | "removed"; text: string; old: number | null; new: number | null };

/** A table of more cells would take seconds to fill: such texts are shown as removed and added. */
const mostCells = 4_000_000;

/** Returns the lines of both texts in one order: what is the same, and what was added and removed between. */
export function diffLines(before: string, after: string): DiffLine[] {
  const olds = before.split("\n");
  const news = after.split("\n");
  let head = 0;
  while (head < olds.length && head < news.length && olds[head] === news[head]) head++;
  let tail = 0;
  while (tail < Math.min(olds.length, news.length) - head && olds.at(-1 - tail) === news.at(-1 - tail)) tail++;
  const middle = diffMiddle(olds.slice(head, olds.length - tail), news.slice(head, news.length - tail));
  const kinds = [...same(head), ...middle, ...same(tail)];
  let at = { old: 0, new: 0 };
  return kinds.map((kind) => {
    const line: DiffLine = {
      kind,
      text: (kind === "added" ? news[at.new] : olds[at.old]) ?? "",
      old: kind === "added" ? null : at.old + 1,
      new: kind === "removed" ? null : at.new + 1,
    };
    at = { old: at.old + (kind === "added" ? 0 : 1), new: at.new + (kind === "removed" ? 0 : 1) };
    return line;
  });
}

type Kind = DiffLine["kind"];

const same = (count: number): Kind[] => Array<Kind>(count).fill("same");

function diffMiddle(olds: string[], news: string[]): Kind[] {
  if ((olds.length + 1) * (news.length + 1) > mostCells)
    return [...Array<Kind>(olds.length).fill("removed"), ...Array<Kind>(news.length).fill("added")];
  const length = commonLengths(olds, news);
  const kinds: Kind[] = [];
  let [i, j] = [0, 0];
  while (i < olds.length && j < news.length) {
    const kind = olds[i] === news[j] ? "same" : null;
    const next = kind ?? (length(i + 1, j) >= length(i, j + 1) ? "removed" : "added");
    kinds.push(next);
    if (next !== "added") i++;
    if (next !== "removed") j++;
  }
  const removed = Array<Kind>(olds.length - i).fill("removed");
  return [...kinds, ...removed, ...Array<Kind>(news.length - j).fill("added")];
}

/** Returns how many lines two texts have in common, from two lines on. Filled from the end, so that it is read from the start. */
function commonLengths(olds: string[], news: string[]): (i: number, j: number) => number {
  const width = news.length + 1;
  const lengths = new Uint32Array((olds.length + 1) * width);
  const length = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = olds.length - 1; i >= 0; i--)
    for (let j = news.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        olds[i] === news[j] ? length(i + 1, j + 1) + 1 : Math.max(length(i + 1, j), length(i, j + 1));
  return length;
}
