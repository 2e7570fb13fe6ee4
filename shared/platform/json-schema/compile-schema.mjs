import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";

const options = { strict: false, allErrors: true, validateFormats: false, logger: false, addUsedSchema: false };
const mostFaults = 20;

/** See compile-schema.d.mts. */
export function createCompiler({ trusted }) {
  const more = trusted ? { meta: false, validateSchema: false } : {};
  const [draft7, draft2020] = [new Ajv({ ...options, ...more }), new Ajv2020({ ...options, ...more })];
  return (schema) => {
    const isDraft7 = typeof schema["$schema"] === "string" && /draft-0[67]/.test(schema["$schema"]);
    const ajv = isDraft7 ? draft7 : draft2020;
    try {
      const validate = ajv.compile(schema);
      if ("$async" in validate) throw new Error("an asynchronous schema can't be used");
      return (value) => (validate(value) === true ? [] : (validate.errors ?? []).slice(0, mostFaults).map(describe));
    } finally {
      ajv.removeSchema(schema);
    }
  };
}

function describe({ instancePath, keyword, params, message }) {
  const place = instancePath
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  const loc = place.map((part) => (/^\d{1,9}$/.test(part) ? Number(part) : part));
  if (keyword === "required" && "missingProperty" in params)
    return { type: "missing", loc: [...loc, String(params["missingProperty"])], msg: "Field required" };
  return { type: "value_error", loc, msg: `Value error, ${message ?? "not what the schema wants"}` };
}
