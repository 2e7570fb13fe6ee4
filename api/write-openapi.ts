import { mkdirSync, writeFileSync } from "node:fs";
import { buildOpenApi } from "./http/openapi.ts";
import { operations } from "./operations.ts";

// `npm run openapi`, from the project's root: the document as a file, for those who read it without a server.
mkdirSync("docs", { recursive: true });
writeFileSync("docs/openapi.json", `${JSON.stringify(buildOpenApi(operations), null, 2)}\n`);
