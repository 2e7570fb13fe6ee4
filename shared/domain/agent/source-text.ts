/** Returns the text of a file of a config, which is text or a data URL. Null: its bytes are no UTF-8. */
export function sourceText(content: string): string | null {
  const [, head, body = ""] = /^data:([^,\s]*),(.*)$/s.exec(content) ?? [];
  if (head === undefined) return content;
  try {
    if (!head.endsWith(";base64")) return decodeURIComponent(body);
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(body, "base64"));
  } catch {
    return null;
  }
}
