import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";

type SourceFile = { path: string; text: string };

const generated = "shared/store/generated/";

/** The TypeScript files of `folders` that people wrote; paths are relative to `root`, with `/`. */
export async function sourceFiles(root: string, folders: readonly string[]): Promise<SourceFile[]> {
  const listed = await Promise.all(
    folders.map((folder) => readdir(join(root, folder), { recursive: true, withFileTypes: true })),
  );
  const paths = listed
    .flat()
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    // A bench installs its peers below its folder.
    .filter((path) => !path.startsWith(generated) && !path.includes("/node_modules/"));
  return Promise.all(paths.map(async (path) => ({ path, text: await readFile(join(root, path), "utf8") })));
}
