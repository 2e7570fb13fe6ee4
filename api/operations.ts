import type { Operation } from "./http/define-operation.ts";
import { withDocs } from "./system/with-docs.ts";

/** All operations: what is served, what OpenAPI documents, what the surface test compares. */
export const operations: readonly Operation<unknown>[] = withDocs([]);
