// TypeScript for Node versions that can't read it, and the place of a syntax error in an agent's code.
import { readFileSync } from "node:fs";
import { createRequire, register } from "node:module";
import { describe } from "./describe-error.mjs";

/** @import { SyntaxFault, TypeStripper } from "./types.d.ts" */

/**
 * Registers a hook that turns each TypeScript file into JavaScript when it is imported. Stack traces show the lines of the
 * TypeScript file.
 * @param {string} stripper
 */
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
        // A file that requires and doesn't import is CommonJS, whatever its name.
        const isModule = /^\\s*(?:import|export)\\b|\\bimport\\.meta\\b|^await\\b/m.test(code);
        const requires = /\\brequire\\s*\\(|\\bmodule\\.exports\\b|^exports\\.\\w/m.test(code);
        const isCommon = url.endsWith(".cts") || (!isModule && requires && !url.endsWith(".mts"));
        const source = code + "\\n//# sourceMappingURL=data:application/json;base64," + Buffer.from(map).toString("base64");
        return { format: isCommon ? "commonjs" : "module", source, shortCircuit: true };
      } catch (error) {
        throw error instanceof Error ? error : new SyntaxError(error.message);
      }
    }`;
  process.setSourceMapsEnabled(true);
  register(`data:text/javascript,${encodeURIComponent(hooks)}`);
}

/**
 * Puts the file and line of a syntax error into its stack, which Node leaves out for modules. They are those of the first of
 * the agent's files that can't be parsed.
 * @param {SyntaxError} error
 * @param {string[]} names
 * @param {string} stripper
 */
export function placeSyntaxError(error, names, stripper) {
  if (/:\d+(:\d+)?\)?$/m.test(describe(error).traceback ?? "")) return;
  const { transformSync } = /** @type {TypeStripper} */ (createRequire(stripper)(stripper));
  for (const name of names) {
    try {
      transformSync(readFileSync(name, "utf8"), { mode: "transform", filename: name });
    } catch (fault) {
      const { startLine, startColumn, snippet } = /** @type {SyntaxFault} */ (fault);
      if (!startLine) continue;
      const markerLine = snippet.split("\n").findIndex((line) => /^ *\^+ *$/.test(line));
      const shown = snippet.split("\n").slice(Math.max(markerLine - 1, 0), markerLine + 1);
      const lines = [`${name}:${startLine}:${startColumn + 1}`, ...shown, `${error.name}: ${error.message}`];
      // Not assigned: from Node 24 on, the stack of an error that came from the loader's thread is read-only.
      Object.defineProperty(error, "stack", { value: lines.join("\n"), writable: true, configurable: true });
      return;
    }
  }
}
