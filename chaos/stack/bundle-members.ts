import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import type { Commands } from "./open-stack.ts";

/**
 * Makes one file of each built main and all that it imports, and compiles it once: loading and compiling its 1,500 files
 * takes a process of a test stack longer than all else that it does to start.
 */
export async function bundleMembers(): Promise<{ commands: Commands; remove(): void }> {
  const folder = mkdtempSync(join(tmpdir(), "runfleet-bundles-"));
  const [api, worker] = await Promise.all([bundleMember("api", folder), bundleMember("worker", folder)]);
  return { commands: { api, worker }, remove: () => rmSync(folder, { recursive: true }) };
}

async function bundleMember(role: "api" | "worker", folder: string): Promise<string[]> {
  const main = resolve(`dist/${role}/main.js`);
  if (!existsSync(main)) throw new Error(`There is no ${main}: npm run build makes it.`);
  const bundle = await rolldown({
    input: main,
    platform: "node",
    // It finds its files beside itself.
    external: ["swagger-ui-dist"],
    plugins: [{ name: "as-script", transform: (code, id) => asScript(code, id) }],
    logLevel: "silent",
  });
  const file = join(folder, `${role}.cjs`);
  await bundle.write({ file, format: "cjs", dynamicImportInCjs: false, codeSplitting: false, keepNames: true });
  await bundle.close();
  // It loads all modules, and ends for the lack of a configuration.
  // V8 refuses code that it compiled with other options. Members set this one, too.
  const command = ["--liftoff-only", resolve("chaos/stack/run-bundle.mjs"), file];
  await once(spawn(process.execPath, [...command, "--compile"], { env: {}, stdio: "ignore" }), "exit");
  if (!existsSync(`${file}.cache`)) throw new Error(`${file} can't be loaded.`);
  return command;
}

/** V8 keeps compiled code of scripts only. A module looks for its files from where it was. */
const asScript = (code: string, id: string): string =>
  code
    .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href))
    .replaceAll("import.meta.resolve", "resolveImport")
    .replaceAll(/^await runProcess\(/gm, "void runProcess(");
