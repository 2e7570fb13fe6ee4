const plain = /^[ -~]*$/;
const graphemes = new Intl.Segmenter();
/** What terminals show two columns wide: emoji, and the East Asian wide and full-width characters (Unicode UAX 11). */
const wide =
  /[\p{Emoji_Presentation}\uFE0F\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97C\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{17000}-\u{18CFF}\u{1B000}-\u{1B2FF}\u{1F200}-\u{1F2FF}\u{20000}-\u{3FFFD}]/u;
const invisible = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;

/** Returns how many columns of a terminal a text takes. */
export function widthOf(text: string): number {
  if (plain.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += widthOfGrapheme(segment);
  return width;
}

function widthOfGrapheme(text: string): number {
  if (wide.test(text)) return 2;
  return invisible.test(text) ? 0 : 1;
}

/** Returns as much of a text's beginning as fits into so many columns. */
export function fit(text: string, columns: number): string {
  if (plain.test(text)) return text.slice(0, columns);
  let width = 0;
  for (const { segment, index } of graphemes.segment(text)) {
    width += widthOfGrapheme(segment);
    if (width > columns) return text.slice(0, index);
  }
  return text;
}
