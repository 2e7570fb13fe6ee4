import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { runModule } from "./run-module.ts";

const stripper = JSON.stringify(createRequire(import.meta.url).resolve("@swc/wasm-typescript"));

test("TypeScript is imported as JavaScript, also by the name of the file that it would become", async () => {
  const { stdout, stderr } = await runModule(
    "read-typescript",
    `import { writeFileSync } from "node:fs";
     writeFileSync("main.ts", 'import { part } from "./part.js";\\nenum E { A = 5 }\\nexport const sum: number = E.A + part;');
     writeFileSync("part.ts", "export const part: number = 1;");
     module.readTypeScript(${stripper});
     console.log((await import(process.cwd() + "/main.ts")).sum);`,
  );
  expect(stderr).toBe("");
  expect(stdout).toBe("6\n");
});

test("an error's stack names the line of the TypeScript file", async () => {
  const { stdout } = await runModule(
    "read-typescript",
    `import { writeFileSync } from "node:fs";
     writeFileSync("main.ts", 'interface Long {\\n  a: string;\\n}\\nexport const fail = (_: Long): never => {\\n  throw new Error("bad");\\n};');
     module.readTypeScript(${stripper});
     const { fail } = await import(process.cwd() + "/main.ts");
     try { fail({ a: "" }); } catch (error) { console.log(error.stack.split("\\n")[1]); }`,
  );
  expect(stdout).toMatch(/main\.ts:5:\d+/);
});

test("a syntax error names its file and line, and is left as it is when no file has one", async () => {
  const { stdout } = await runModule(
    "read-typescript",
    `import { writeFileSync } from "node:fs";
     writeFileSync("good.mjs", "export const a = 1;");
     writeFileSync("bad.mjs", "const a = 1;\\nconst b = = 2;\\n");
     const error = await import(process.cwd() + "/bad.mjs").catch((error) => error);
     error.stack = "SyntaxError: Unexpected token '='";
     module.placeSyntaxError(error, ["good.mjs", "bad.mjs"], ${stripper});
     console.log(error.stack.split("\\n")[0]);
     error.stack = "SyntaxError: other";
     module.placeSyntaxError(error, ["good.mjs"], ${stripper});
     console.log(error.stack);`,
  );
  expect(stdout).toBe("bad.mjs:2:11\nSyntaxError: other\n");
});
