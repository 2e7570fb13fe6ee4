/** A path may be spelled so often over: `%2572` is `%72`, which is `r`. */
const mostDecoded = 4;

/** Returns a path as it came, and as a service may read it: decoded, without repeated slashes, in lower case. */
export function spellings(path: string): string[] {
  const found = new Set([path.toLowerCase()]);
  for (const encoding of ["utf8", "latin1"] as const) {
    let decoded = path;
    for (let turn = 0; turn < mostDecoded; turn += 1) {
      decoded = decoded.replaceAll(/(?:%[0-9a-f]{2})+/gi, (escaped) =>
        Buffer.from(escaped.replaceAll("%", ""), "hex").toString(encoding),
      );
      found.add(plainPath(decoded.normalize("NFC")));
    }
  }
  return [...found];
}

/** Some services leave out what follows a `;`, take `\` for a slash, and a slash at the end for nothing. */
export function plainPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.replaceAll("\\", "/").toLowerCase().split("/")) {
    const [name = ""] = part.split(";");
    if (name === "..") parts.pop();
    else if (name !== "" && name !== ".") parts.push(name);
  }
  return `/${parts.join("/")}`;
}
