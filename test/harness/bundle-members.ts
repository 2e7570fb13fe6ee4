import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";

/**
 * Makes one file of each built main and all that it imports: loading its 1,500 files takes a process of a test stack
 * longer than all else that it does to start. Gives the folder of `api.mjs` and `worker.mjs`.
 */
export async function bundleMembers(): Promise<string> {
  const folder = resolve("dist/bundled");
  for (const role of ["api", "worker"]) {
    const main = resolve(`dist/${role}/main.js`);
    if (!existsSync(main)) throw new Error(`There is no ${main}: npm run build makes it.`);
    const bundle = await rolldown({
      input: main,
      platform: "node",
      // It finds its files beside itself.
      external: ["swagger-ui-dist"],
      plugins: [{ name: "places", transform: (code, id) => code.replaceAll("import.meta.url", placeOf(id)) }],
      logLevel: "silent",
    });
    await bundle.write({ file: `${folder}/${role}.mjs`, format: "esm", codeSplitting: false, keepNames: true });
    await bundle.close();
  }
  return folder;
}

/** Where a module was: it looks for its files from there. */
const placeOf = (id: string): string => JSON.stringify(pathToFileURL(id).href);
