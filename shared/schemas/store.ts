import { z } from "zod";
import { isSearchable } from "../domain/json/is-searchable.ts";
import { field, refuse } from "./field.ts";
import { clientId, jsonObject, laxBool, laxFloat, laxInt, text, type JsonObject } from "./primitives.ts";

/** The limits of an item. */
export const storeLimits = {
  labels: 16,
  namespace_bytes: 1024,
  value_bytes: 64 * 1024,
  ttl_seconds: 10 * 366 * 24 * 3600,
  filters: 20,
} as const;

const label = text({ min: 1, max: 128, pattern: /^[^.]*$/ });

/** A namespace of at least so many labels. An index has it, so it is short. */
function labels(least: number) {
  const list = z.array(label).min(least).max(storeLimits.labels);
  const fault = `Value error, must be a list of ${least} to ${storeLimits.labels} labels without dots, of at most 128 characters each and ${storeLimits.namespace_bytes} bytes together`;
  return field(
    (value) => {
      const read = list.safeParse(value);
      const isShort = read.success && Buffer.byteLength(read.data.join(".")) <= storeLimits.namespace_bytes;
      return isShort ? read.data : refuse("value_error", fault);
    },
    { type: "array", items: { type: "string" }, minItems: least, maxItems: storeLimits.labels },
  );
}

const storable = () =>
  field(
    (value) => {
      const read = jsonObject().safeParse(value);
      if (!read.success) return refuse("dict_type", "Input should be a valid dictionary");
      const json = JSON.stringify(read.data);
      if (Buffer.byteLength(json) > storeLimits.value_bytes)
        return refuse("value_error", `Value error, must be at most ${storeLimits.value_bytes} bytes as JSON`);
      if (!isSearchable(json)) return refuse("value_error", "Value error, texts must be well-formed and have no NUL");
      return read.data;
    },
    { type: "object", additionalProperties: true },
  );

const storeNamespace = labels(1).meta({
  description: "Labels from the widest to the narrowest. A label has no dot.",
  example: ["memories", "ada"],
});
const storeKey = text({ min: 1, max: 256 }).meta({ example: "likes" });
const owner = clientId().nullish().meta({ description: "Whose item. Left out: the caller's." });
const ttl = laxFloat({ ge: 1, le: storeLimits.ttl_seconds }).nullish().meta({
  description:
    "The item is deleted so many seconds after it was written, or was read with `refresh_ttl`. Left out: never.",
});
const refresh_ttl = laxBool().default(true).meta({ description: "False: reading the item doesn't prolong its life." });

export const storeItemBody = z
  .object({ user_id: owner, namespace: storeNamespace, key: storeKey, value: storable(), ttl_seconds: ttl })
  .meta({
    id: "StoreItemBody",
    example: { namespace: ["memories", "ada"], key: "likes", value: { food: "pizza" }, ttl_seconds: 86_400 },
  });

const dotted = field(
  (value) => {
    const read = labels(1).safeParse(typeof value === "string" ? value.split(".") : value);
    return read.success ? read.data : refuse("value_error", "Value error, must be labels with dots between them");
  },
  { type: "string" },
);

export const storeItemQuery = z.object({
  user_id: clientId().optional().meta({ description: "Whose item. Left out: the caller's." }),
  namespace: dotted.meta({
    description: "The labels of the namespace with dots between them.",
    example: "memories.ada",
  }),
  key: storeKey.meta({ description: "The item's key within its namespace." }),
});
export const storeReadQuery = storeItemQuery.extend({ refresh_ttl });

/** A JSON value that an item's field must equal, or conditions on it. */
const operators = ["$eq", "$ne", "$gt", "$gte", "$lt", "$lte"] as const;
export type FilterOperator = (typeof operators)[number];

const isPlain = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns the conditions of a filter: what each field is compared with, and how. */
export const filterConditions = (filter: JsonObject): { name: string; operator: FilterOperator; value: unknown }[] =>
  Object.entries(filter).flatMap(([name, wanted]) => {
    if (!isPlain(wanted) || !Object.keys(wanted).some((word) => word.startsWith("$")))
      return [{ name, operator: "$eq" as const, value: wanted }];
    return Object.entries(wanted).map(([operator, value]) => ({ name, operator: operator as FilterOperator, value }));
  });

const storeFilter = field(
  (value) => {
    if (!isPlain(value)) return refuse("dict_type", "Input should be a valid dictionary");
    if (!isSearchable(JSON.stringify(value)))
      return refuse("value_error", "Value error, texts must be well-formed and have no NUL");
    const conditions = filterConditions(value);
    if (conditions.length > storeLimits.filters)
      return refuse("value_error", `Value error, must have at most ${storeLimits.filters} conditions`);
    const unknown = conditions.find(({ operator }) => !operators.includes(operator));
    return unknown
      ? refuse("value_error", `Value error, '${unknown.operator}' is none of ${operators.join(", ")}`)
      : value;
  },
  { type: "object", additionalProperties: true },
);

export const storeSearchBody = z
  .object({
    user_id: owner,
    namespace_prefix: labels(0).default([]).meta({ description: "Only items below this namespace." }),
    filter: storeFilter.nullish().meta({
      description:
        "Only items whose value has these fields. A field is compared with a JSON value, or with conditions: $eq, $ne, $gt, $gte, $lt, $lte.",
    }),
    limit: laxInt({ ge: 1, le: 1000 }).default(10),
    offset: laxInt({ ge: 0, le: 1_000_000 }).default(0),
    refresh_ttl,
  })
  .prefault({})
  .meta({ id: "StoreSearch", example: { namespace_prefix: ["memories"], filter: { food: "pizza" }, limit: 10 } });

export const namespaceSearchBody = z
  .object({
    user_id: owner,
    prefix: labels(0).nullish().meta({ description: "Only namespaces that begin with it. `*` is any label." }),
    suffix: labels(0).nullish().meta({ description: "Only namespaces that end with it. `*` is any label." }),
    max_depth: laxInt({ ge: 1, le: storeLimits.labels })
      .nullish()
      .meta({ description: "Namespaces are cut after so many labels." }),
    limit: laxInt({ ge: 1, le: 1000 }).default(100),
    offset: laxInt({ ge: 0, le: 1_000_000 }).default(0),
  })
  .prefault({})
  .meta({ id: "NamespaceSearch", example: { prefix: ["memories"], max_depth: 1 } });

export const storeItem = z
  .object({
    object: z.literal("store_item"),
    user_id: z.string(),
    namespace: z.array(z.string()),
    key: z.string(),
    value: z.record(z.string(), z.unknown()),
    expires_at: z.string().nullable(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({
    id: "StoreItem",
    example: {
      object: "store_item",
      user_id: "ada",
      namespace: ["memories", "ada"],
      key: "likes",
      value: { food: "pizza" },
      expires_at: "2026-11-22T10:00:00.000Z",
      created_at: "2026-11-21T10:00:00.000Z",
      updated_at: "2026-11-21T10:00:00.000Z",
    },
  });
export type StoreItemRecord = z.infer<typeof storeItem>;

export const storeItems = z.object({ data: z.array(storeItem), has_more: z.boolean() }).meta({
  id: "StoreItems",
  example: { data: [storeItem.meta()?.["example"]], has_more: false },
});
export const namespaces = z.object({ data: z.array(z.array(z.string())), has_more: z.boolean() }).meta({
  id: "StoreNamespaces",
  example: { data: [["memories", "ada"]], has_more: false },
});
