import { requestLimits } from "../run/request-limits.ts";

/** Returns the faults of files by relative path, at most one a file. A content is text or a data URL. */
export function fileFaults(files: Record<string, string>): { name: string; message: string }[] {
  const seen = new Set<string>();
  return Object.entries(files).flatMap(([name, content]) => {
    const twice = seen.has(name.toLowerCase()) ? "the same name is used twice" : null;
    seen.add(name.toLowerCase());
    const message = fileNameFault(name) ?? twice ?? badContent(content);
    return message === null ? [] : [{ name, message }];
  });
}

/** Returns why a file can't have this name; only relative paths inside the run's directory are allowed. Null: it can. */
export function fileNameFault(name: string): string | null {
  if (name.length === 0 || Buffer.byteLength(name) > 255) return "the name must have 1 to 255 bytes";
  // oxlint-disable-next-line no-control-regex -- control characters are what is refused
  if (/[\u0000-\u001f\\]/.test(name) || /^[A-Za-z]:/.test(name)) return "the name must be a plain relative path";
  const parts = name.split("/");
  return parts.some((part) => part === "" || part === "." || part === "..")
    ? "the name must be a plain relative path"
    : null;
}

/** Returns why an adapter could not decode a content. A text with a blank before its first comma, such as YAML, is no data URL. */
function badContent(content: string): string | null {
  if (Buffer.byteLength(content) > requestLimits.file_bytes) return `must be at most ${requestLimits.file_bytes} bytes`;
  if (!content.startsWith("data:")) return null;
  const comma = content.indexOf(",");
  const head = comma < 0 ? content : content.slice(0, comma);
  if (/\s/.test(head)) return null;
  if (comma < 0) return "not a data URL";
  if (!head.endsWith(";base64")) return null;
  return isBase64(content, comma + 1) ? null : "not base64, with its padding";
}

/** True when the text from `start` on is base64 with padding. White space is ignored. One pass, without a copy. */
function isBase64(text: string, start: number): boolean {
  let [digits, padding] = [0, 0];
  for (let at = start; at < text.length; at += 1) {
    const kind = kinds[text.charCodeAt(at)];
    if (kind === "space") continue;
    if (kind === "padding") padding += 1;
    else if (kind === "digit" && padding === 0) digits += 1;
    else return false;
  }
  return padding <= 2 && (digits + padding) % 4 === 0;
}

const kinds = Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code);
  if (/\s/.test(char)) return "space";
  if (char === "=") return "padding";
  return /[A-Za-z0-9+/]/.test(char) ? "digit" : "other";
});
