import { text, timestamp } from "./primitives.ts";

/** The fields of a request that repeats one delivery, or all of a time, besides their status. */
export const deliveryRange = {
  delivery_id: text({ max: 512 })
    .nullish()
    .meta({ description: "The one delivery to repeat. Left out: those since `since`." }),
  since: timestamp().nullish().meta({ description: "Deliveries of events at or after this time." }),
  until: timestamp().nullish().meta({ description: "Deliveries of events before this time." }),
  after: text({ max: 512 })
    .nullish()
    .meta({ description: "The `last_id` of the previous answer, while it says `has_more`." }),
};

/** Where a request fails that names both one delivery and a time, or neither. */
export const rangeFault = {
  type: "value_error",
  loc: ["body", "since"],
  msg: "Value error, send either delivery_id or since",
};
