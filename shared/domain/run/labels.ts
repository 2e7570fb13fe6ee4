import { requestLimits } from "./request-limits.ts";

/** `bulk_id`: the bulk operation that has made the run. */
export type Annotations = { tags: readonly string[]; metadata: Record<string, unknown>; bulk_id?: string | undefined };

/** The word by which a list finds things with a tag. */
export const tagLabel = (tag: string): string => `tag:${tag}`;

/** The word by which a list finds things whose metadata has this text, number or boolean under `key`. */
export const metadataLabel = (key: string, value: string): string => `metadata:${key}=${value}`;

/** The word by which a list finds the runs that a bulk operation has made. */
export const bulkLabel = (bulkId: string): string => `bulk:${bulkId}`;

export const isBulkLabel = (label: string): boolean => label.startsWith("bulk:");

/** NUL and half of a surrogate pair, which Postgres' texts can't hold. */
const unfit = /\0|\p{Surrogate}/u;

/**
 * Returns the words by which a list finds a thing: of its tags, of the texts, numbers and booleans in its metadata, and of the bulk
 * operation that has made it. What is too long to be asked for has none.
 */
export function labelsOf({ tags, metadata, bulk_id }: Annotations): string[] {
  const { metadata_keys, label_key, label_value } = requestLimits;
  const entries = Object.entries(metadata)
    .slice(0, metadata_keys)
    .flatMap(([key, value]) => {
      if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return [];
      const text = String(value);
      return key.length <= label_key && text.length <= label_value ? [metadataLabel(key, text)] : [];
    });
  const made = bulk_id === undefined ? [] : [bulkLabel(bulk_id)];
  return [...new Set([...tags.map(tagLabel), ...entries, ...made])].filter((label) => !unfit.test(label));
}
