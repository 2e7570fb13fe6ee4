/**
 * Returns null for a text that is no absolute URL. It does not use URL.canParse: in Node 20.20, once V8 has compiled a call of it, it
 * returns true for texts with bytes above 127 for which `new URL` throws.
 */
export function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
