import { z } from "zod";
import { bulkLabel, metadataLabel, tagLabel } from "../domain/run/labels.ts";
import { requestLimits } from "../domain/run/request-limits.ts";
import { type Field, field, Refused, refuse, type Refusal, toRefusal } from "./field.ts";
import { type JsonObject, metadataObject, text } from "./primitives.ts";
import { readText } from "./read-lax.ts";

const { metadata_keys, tags: mostTags, tag: tagLength, label_key, label_value } = requestLimits;

/** Metadata by whose entries a list is filtered: at most 64 of them. */
export const labelledMetadata = (): Field<JsonObject> =>
  field(
    (value) => {
      const read = metadataObject().safeParse(value);
      if (!read.success) return new Refused(read.error.issues.map(toRefusal));
      const count = Object.keys(read.data).length;
      return count > metadata_keys ? refuse("value_error", `Value error, ${tooManyKeys(count)}`) : read.data;
    },
    { type: "object", additionalProperties: true, maxProperties: metadata_keys },
  );

const tooManyKeys = (count: number): string => `must have at most ${metadata_keys} keys, not ${count}`;

const tag = () => text({ min: 1, max: tagLength });

/** Tags by which a list is filtered: at most 20. */
export const tagList = () => z.array(tag()).max(mostTags);

type Entries = Record<string, string>;

/** `metadata[key]=value`, in JSON an object of texts. */
const metadataFilter = (): Field<Entries> =>
  field(
    (value) => {
      if (typeof value !== "object" || value === null || Array.isArray(value))
        return refuse("dict_type", "Input should be a valid dictionary");
      const entries = Object.entries(value);
      if (entries.length === 0) return refuse("value_error", "Value error, name a key");
      const faults = entries.flatMap(([key, given]) => [
        ...faultsOf(readText(key, { min: 1, max: label_key }), key),
        ...faultsOf(readText(given, { max: label_value }), key),
      ]);
      return faults.length > 0 ? new Refused(faults) : (value as Entries);
    },
    { type: "object", additionalProperties: { type: "string", maxLength: label_value } },
  );

const faultsOf = (read: string | Refused, key: string): Refusal[] =>
  read instanceof Refused ? read.refusals.map((refusal) => ({ ...refusal, at: [key] })) : [];

/** The filters of a list by tag and metadata. */
export const labelFilter = {
  tag: tag().optional().meta({ description: "Only things with this tag." }),
  metadata: metadataFilter().optional().meta({
    description:
      "Only things whose metadata has this text, number or boolean, as in `metadata[customer]=ada`. Several must all match.",
  }),
};

/** Returns the words that a thing must have. */
export const wantedLabels = ({ tag: named, metadata = {}, bulk_id }: LabelFilter): string[] => [
  ...(named === undefined ? [] : [tagLabel(named)]),
  ...Object.entries(metadata).map(([key, value]) => metadataLabel(key, value)),
  ...(bulk_id === undefined ? [] : [bulkLabel(bulk_id)]),
];

export type LabelFilter = {
  tag?: string | undefined;
  metadata?: Entries | undefined;
  bulk_id?: string | undefined;
};
