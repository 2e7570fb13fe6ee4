/** What a program wrote, and when: ms since it was started. */
export type Written = { at_ms: number; text: string };

/** `slowdown`: how many times slower than it was written. `longestPauseMs`: longer waits are shown as this, before the slowdown. */
type Drawing = { title: string; columns: number; rows: number; slowdown: number; longestPauseMs: number };

const charWidth = 7.8;
const lineHeight = 18;
const padding = 16;
const barHeight = 34;
/** How long the last picture stands before the recording begins again. */
const holdMs = 6_000;

/**
 * Returns an animated SVG of a terminal that shows `written` as it came. Its text is that text and the title, nothing else.
 * Where nothing may move (prefers-reduced-motion, viewers without CSS) the end of the recording is shown.
 */
export function drawTerminal(written: readonly Written[], drawing: Drawing): string {
  const { columns, rows } = drawing;
  const lines = wrapLines(retime(written, drawing), columns);
  const endMs = (lines.at(-1)?.at_ms ?? 0) + holdMs;
  const width = Math.ceil(columns * charWidth + 2 * padding);
  const screen = rows * lineHeight;
  const height = barHeight + screen + 2 * padding;
  const shown = stepsOf(lines);
  const lifted = (count: number): number => Math.max(0, count - rows) * lineHeight;
  const uncovered = (count: number): number => Math.min(count, rows) * lineHeight;
  const frames = (name: string, place: (count: number) => number): string =>
    `@keyframes ${name}{${shown.map(({ at_ms, count }) => `${((at_ms / endMs) * 100).toFixed(2)}%{transform:translateY(${place(count)}px)}`).join("")}}`;
  const animated = (name: string): string => `animation:${name} ${(endMs / 1_000).toFixed(2)}s step-end infinite`;
  const text = lines.map((line, number) => drawLine(line, number)).join("\n");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeText(drawing.title)}">
<style>
svg{--back:#fff;--edge:#d0d7de;--text:#1f2328;--faint:#59636e;--mark:#0550ae}
@media (prefers-color-scheme:dark){svg{--back:#0d1117;--edge:#3d444d;--text:#e6edf3;--faint:#9198a1;--mark:#79c0ff}}
.back{fill:var(--back);stroke:var(--edge)}.cover{fill:var(--back)}.dot{fill:var(--edge)}
text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:var(--text);white-space:pre}
.faint,.title{fill:var(--faint)}.mark{fill:var(--mark);font-weight:600}.title{text-anchor:middle}
.lines{transform:translateY(${-lifted(lines.length)}px);${animated("scroll")}}
.cover{transform:translateY(${uncovered(lines.length)}px);${animated("show")}}
${frames("scroll", (count) => -lifted(count))}
${frames("show", uncovered)}
@media (prefers-reduced-motion:reduce){.lines,.cover{animation:none}}
</style>
<clipPath id="screen"><rect x="0" y="${barHeight}" width="${width}" height="${screen + padding}"/></clipPath>
<rect class="back" x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8"/>
<circle class="dot" cx="20" cy="17" r="5"/><circle class="dot" cx="38" cy="17" r="5"/><circle class="dot" cx="56" cy="17" r="5"/>
<text class="title" x="${width / 2}" y="22">${escapeText(drawing.title)}</text>
<g clip-path="url(#screen)"><g class="lines">
${text}
</g><rect class="cover" x="1" y="${barHeight + 2}" width="${width - 2}" height="${screen}"/></g>
</svg>
`;
}

type Line = { at_ms: number; text: string; kind: "faint" | "mark" | "plain" };

/** Long pauses are cut, and what is left is slowed down. */
function retime(written: readonly Written[], { slowdown, longestPauseMs }: Drawing): Written[] {
  let before = 0;
  let at_ms = 0;
  return written.map((piece) => {
    at_ms += Math.min(piece.at_ms - before, longestPauseMs) * slowdown;
    before = piece.at_ms;
    return { at_ms, text: piece.text };
  });
}

/** Lines as a terminal of so many columns breaks them; each has the time of the piece that ended it. */
function wrapLines(written: readonly Written[], columns: number): Line[] {
  const lines: Line[] = [];
  let open = "";
  const close = (at_ms: number): void => {
    const kind = kindOf(open);
    for (let from = 0; from === 0 || from < open.length; from += columns)
      lines.push({ at_ms, text: open.slice(from, from + columns), kind });
    open = "";
  };
  for (const { at_ms, text } of written) {
    const [first = "", ...rest] = text.split("\n");
    open += first;
    for (const next of rest) {
      close(at_ms);
      open = next;
    }
  }
  if (open !== "") close(written.at(-1)?.at_ms ?? 0);
  return lines;
}

function kindOf(line: string): Line["kind"] {
  if (/^(event: |\$ )/.test(line)) return "mark";
  return /^(id|retry): /.test(line) ? "faint" : "plain";
}

/** How many lines stand at which times; the first entry is the empty screen. */
function stepsOf(lines: readonly Line[]): { at_ms: number; count: number }[] {
  const steps = new Map([[0, 0]]);
  for (const [number, { at_ms }] of lines.entries()) steps.set(at_ms, number + 1);
  return [...steps].map(([at_ms, count]) => ({ at_ms, count }));
}

function drawLine({ text, kind }: Line, number: number): string {
  if (text === "") return "";
  const y = barHeight + padding + number * lineHeight;
  const look = kind === "plain" ? "" : ` class="${kind}"`;
  // The length holds the columns in a viewer whose monospace font is wider.
  return `<text${look} x="${padding}" y="${y}" textLength="${(text.length * charWidth).toFixed(1)}" lengthAdjust="spacingAndGlyphs">${markContent(escapeText(text))}</text>`;
}

/** What the agent says is what a reader looks for among the fields of its event. */
const markContent = (escaped: string): string =>
  escaped.replace(/(?<=&quot;content&quot;:)&quot;.*&quot;/, '<tspan class="mark">$&</tspan>');

const escapeText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
