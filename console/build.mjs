// Builds dist/console/site, unless the one that stands was built from the same sources and packages.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const root = fileURLToPath(new URL("..", import.meta.url));
const target = join(root, "dist/console/site");
const stamp = join(target, ".built-from");

const filesOf = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();

const hash = createHash("sha256");
for (const file of [
  ...filesOf(join(root, "console")),
  ...filesOf(join(root, "sdk/ts")),
  join(root, "package-lock.json"),
])
  hash.update(file.slice(root.length)).update("\0").update(readFileSync(file)).update("\0");
const builtFrom = hash.digest("hex");

if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== builtFrom) {
  const { build } = await import("vite");
  await build({
    configFile: false,
    root: join(root, "console"),
    base: "/console/",
    logLevel: "error",
    build: {
      outDir: target,
      emptyOutDir: true,
      target: "es2023",
      cssTarget: ["chrome123", "firefox121", "safari17.5"],
      modulePreload: { polyfill: false },
      // The policy allows no script and no font that is part of another file.
      assetsInlineLimit: 0,
      manifest: "manifest.json",
      chunkSizeWarningLimit: 1_000,
    },
  });
  for (const file of filesOf(target)) compress(file);
  writeFileSync(stamp, builtFrom);
}

/** Browsers take Brotli over https and from this machine, and gzip everywhere. */
function compress(file) {
  if (![".js", ".css"].includes(extname(file))) return;
  const bytes = readFileSync(file);
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
  writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }));
}
