import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { type Request, type RequestHandler, type Response, Router } from "express";

type ConsoleFile = { type: string; bytes: Buffer; packed: { encoding: "br" | "gzip"; bytes: Buffer }[] };

const types: Record<string, string> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".woff2": "font/woff2",
};

const hashed = "/assets/";

/**
 * Serves the web console below /console. All files are read at start. Any path that is no file is a page of the console, which
 * the script shows. Without a built console the paths say so.
 */
export function serveConsole(folder: string): Router {
  const page = existsSync(join(folder, "index.html")) ? readFileSync(join(folder, "index.html"), "utf8") : null;
  const files = page === null ? new Map<string, ConsoleFile>() : readFiles(folder);
  const router = Router({ caseSensitive: true });
  router.get("/", leadPeopleToConsole(page !== null));
  router.use("/console", (req, res, next) => {
    if (req.method !== "GET" && req.method !== "HEAD") return next();
    res.locals["route"] = "/console";
    if (page === null) return void res.status(404).type("text").send("The console is not built. Run npm run build.\n");
    if (req.originalUrl === "/console") return res.redirect(308, "/console/");
    const file = files.get(req.path);
    if (file) return sendFile(req, res, { file, isHashed: req.path.startsWith(hashed) });
    return req.path.startsWith(hashed) ? next() : sendPage(res, page);
  });
  return router;
}

/** A browser that opens the service's address shows its console; programs get JSON as ever. */
const leadPeopleToConsole =
  (isBuilt: boolean): RequestHandler =>
  (req, res, next) => {
    if (!isBuilt || !(req.get("accept") ?? "").includes("text/html")) return next();
    res.vary("Accept");
    res.redirect(302, "/console/");
  };

function sendPage(res: Response, page: string): void {
  const nonce = randomBytes(16).toString("base64url");
  res.set("Content-Security-Policy", policy(nonce)).type("html").send(page.replace("NONCE", nonce));
}

/** The nonce is for styles that the editor makes. Nothing comes from another origin, and no text becomes a script. */
const policy = (nonce: string): string =>
  `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data: blob:; font-src 'self'; ` +
  "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; " +
  "require-trusted-types-for 'script'";

type FileToSend = { file: ConsoleFile; isHashed: boolean };

function sendFile(req: Request, res: Response, { file, isHashed }: FileToSend): void {
  const packed = file.packed.find(({ encoding }) => req.acceptsEncodings(encoding) === encoding);
  res.set({
    "Content-Type": file.type,
    // The name of a file with a hash says what is in it.
    "Cache-Control": isHashed ? "public, max-age=31536000, immutable" : "no-cache",
    ...(packed && { "Content-Encoding": packed.encoding }),
  });
  if (file.packed.length > 0) res.vary("Accept-Encoding");
  res.end(req.method === "HEAD" ? undefined : (packed ?? file).bytes);
}

function readFiles(folder: string): Map<string, ConsoleFile> {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => extname(path) in types);
  return new Map(paths.map((path) => [`/${path}`, readOne(join(folder, path))]));
}

const encodings = [
  { encoding: "br", ending: ".br" },
  { encoding: "gzip", ending: ".gz" },
] as const;

const readOne = (path: string): ConsoleFile => ({
  type: types[extname(path)] ?? "",
  bytes: readFileSync(path),
  packed: encodings
    .filter(({ ending }) => existsSync(path + ending))
    .map(({ encoding, ending }) => ({ encoding, bytes: readFileSync(path + ending) })),
});
