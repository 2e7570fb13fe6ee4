export type FileContent = string | Blob | ArrayBuffer | Uint8Array<ArrayBuffer>;

/** Returns files as a request has them: text as it is, anything else as a data URL. */
export async function encodeFiles(files: Record<string, FileContent>): Promise<Record<string, string>> {
  const encoded = Object.entries(files).map(async ([name, content]) => [name, await encodeFile(content)] as const);
  return Object.fromEntries(await Promise.all(encoded));
}

async function encodeFile(content: FileContent): Promise<string> {
  // The service would read such a text as a data URL.
  if (typeof content === "string" && !content.startsWith("data:")) return content;
  const bytes = new Uint8Array(await new Blob([content]).arrayBuffer());
  let binary = "";
  for (let at = 0; at < bytes.length; at += 8192) binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return `data:application/octet-stream;base64,${btoa(binary)}`;
}
