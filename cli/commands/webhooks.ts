import type { Group } from "../command.ts";
import { listing, operation } from "../operation.ts";
import { ago, field } from "../table.ts";

const at = "/v1/webhooks/{}";

export const webhooks: Group = {
  summary: "Lists webhooks, adds one, tests it, shows its deliveries, removes it.",
  commands: {
    ls: listing({
      usage: "webhooks ls [--all]",
      summary: "The webhooks.",
      path: "/v1/webhooks",
      columns: [
        ["WEBHOOK", field("id")],
        ["URL", field("url")],
        ["STATUS", field("status")],
        ["EVENTS", (row) => (row["events"] as string[]).join(" ")],
      ],
      filters: { status: "status" },
    }),
    add: operation({
      usage: "webhooks add <url> [event…]",
      summary: "Sends events to an address, or all of them. Its secret is shown once.",
      method: "POST",
      path: "/v1/webhooks",
      body: ({ words: [url, ...events] }) => ({ url, ...(events.length > 0 && { events }) }),
    }),
    test: operation({
      usage: "webhooks test <webhook>",
      summary: "Sends a test event. Its tries are among the deliveries.",
      method: "POST",
      path: `${at}/test`,
    }),
    deliveries: listing({
      usage: "webhooks deliveries <webhook> [--all]",
      summary: "What was sent to a webhook.",
      path: `${at}/deliveries`,
      columns: [
        ["DELIVERY", field("id")],
        ["EVENT", field("type")],
        ["STATUS", field("status")],
        ["ERROR", field("last_error")],
        ["AGE", (row) => ago(row["created_at"])],
      ],
    }),
    rm: operation({
      usage: "webhooks rm <webhook>",
      summary: "Removes a webhook.",
      method: "DELETE",
      path: at,
      tell: (_, { words }) => `${words[0]} is removed`,
    }),
  },
};
