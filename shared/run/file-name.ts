/** Why a file can't be named so: relative paths inside the run's directory only. Null: it can. */
export function fileNameFault(name: string): string | null {
  if (name.length === 0 || Buffer.byteLength(name) > 255) return "the name must have 1 to 255 bytes";
  // oxlint-disable-next-line no-control-regex -- control characters are what is refused
  if (/[\u0000-\u001f\\]/.test(name) || /^[A-Za-z]:/.test(name)) return "the name must be a plain relative path";
  const parts = name.split("/");
  return parts.some((part) => part === "" || part === "." || part === "..")
    ? "the name must be a plain relative path"
    : null;
}
