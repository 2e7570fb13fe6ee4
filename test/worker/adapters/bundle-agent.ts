import { dirname, join } from "node:path";
import { rolldown } from "rolldown";

const root = join(import.meta.dirname, "../../..");
const entry = join(root, "test/agent-of-a-test.mjs");

/** Returns an agent and the packages that it imports, which are this project's devDependencies, as one module. */
export async function bundleAgent(source: string, folder = root): Promise<string> {
  const own = {
    name: "agent",
    resolveId: (id: string, importer: string | undefined) =>
      importer === undefined ? join(folder, entry.slice(root.length)) : undefined,
    load: (id: string) => (id.endsWith("agent-of-a-test.mjs") ? source : undefined),
  };
  const bundle = await rolldown({
    input: "agent",
    cwd: dirname(entry),
    platform: "node",
    plugins: [own],
    logLevel: "silent",
  });
  const { output } = await bundle.generate({ format: "esm", codeSplitting: false });
  await bundle.close();
  const [{ code }] = output;
  return `import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);\n${code}`;
}
