// TypeScript as Node reads it, and where in an agent's code a syntax error is.
import { readFileSync } from "node:fs";
import { createRequire, register } from "node:module";
import { describe } from "./describe-error.mjs";

/** From now on TypeScript is made JavaScript, file by file, as it is imported. Its errors tell the lines that its author wrote. */
export function readTypeScript(stripper) {
  const hooks = `
    import { existsSync, readFileSync } from "node:fs";
    import { createRequire } from "node:module";
    let strip;
    export function resolve(specifier, context, next) {
      if (!/^\\.{0,2}\\/.*\\.[mc]?js$/.test(specifier) || !context.parentURL?.startsWith("file:")) return next(specifier, context);
      const written = new URL(specifier, context.parentURL);
      const meant = new URL(written.href.replace(/js$/, "ts"));
      return next(existsSync(written) || !existsSync(meant) ? specifier : meant.href, context);
    }
    export async function load(url, context, next) {
      if (!/\\.[mc]?ts$/.test(new URL(url).pathname)) return next(url, context);
      strip ??= createRequire(${JSON.stringify(stripper)})(${JSON.stringify(stripper)}).transformSync;
      const text = readFileSync(new URL(url), "utf8");
      try {
        const { code, map } = strip(text, { mode: "transform", sourceMap: true, filename: url });
        const source = code + "\\n//# sourceMappingURL=data:application/json;base64," + Buffer.from(map).toString("base64");
        return { format: url.endsWith(".cts") ? "commonjs" : "module", source, shortCircuit: true };
      } catch (error) {
        throw error instanceof Error ? error : new SyntaxError(error.message);
      }
    }`;
  process.setSourceMapsEnabled(true);
  register(`data:text/javascript,${encodeURIComponent(hooks)}`);
}

/** Node doesn't say where in a module a syntax error is: looks for the first of the agent's files that can't be read. */
export function placeSyntaxError(error, names, stripper) {
  if (/:\d+(:\d+)?\)?$/m.test(describe(error).traceback)) return;
  const { transformSync } = createRequire(stripper)(stripper);
  for (const name of names) {
    try {
      transformSync(readFileSync(name, "utf8"), { mode: "transform", filename: name });
    } catch ({ startLine, startColumn, snippet }) {
      if (!startLine) continue;
      const upTo = snippet.split("\n").findIndex((line) => /^ *\^+ *$/.test(line));
      const shown = snippet.split("\n").slice(Math.max(upTo - 1, 0), upTo + 1);
      const lines = [`${name}:${startLine}:${startColumn + 1}`, ...shown, `${error.name}: ${error.message}`];
      // Not assigned: from Node 24 on, the stack of an error that came from the loader's thread is read-only.
      Object.defineProperty(error, "stack", { value: lines.join("\n") });
      return;
    }
  }
}
