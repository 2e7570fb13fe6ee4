import { plainName, type RawHeaders } from "./clean-headers.ts";

/** Fields in which some services take another method than the request's. */
const fields = new Set(["x-http-method-override", "x-http-method", "x-method-override"]);
/** The same in an address; Google's is `$httpMethod`. */
const parameters = new Set([...fields, "$httpmethod", "httpmethod", "-method"]);

/** Returns the methods that fields of a request name. A field may have several, and be there more than once. */
export const methodsInFields = (raw: RawHeaders): string[] =>
  raw
    .filter((_, at) => at % 2 === 1 && fields.has(plainName(raw[at - 1] ?? "")))
    .flatMap((value) => value.split(",").map((method) => method.trim()));

/** True for a request that names its method somewhere else, too. */
export const overridesMethod = (raw: RawHeaders, url: URL): boolean =>
  methodsInFields(raw).length > 0 || [...url.searchParams.keys()].some((name) => parameters.has(plainName(name)));
