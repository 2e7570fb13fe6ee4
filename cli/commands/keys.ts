import type { Group } from "../command.ts";
import { listing, operation } from "../operation.ts";
import { ago, field } from "../table.ts";

const at = "/v1/users/me/api-keys";

export const keys: Group = {
  summary: "Lists API keys, makes one, revokes one.",
  commands: {
    ls: listing({
      usage: "keys ls [--all]",
      summary: "Your API keys.",
      path: at,
      columns: [
        ["KEY", field("id")],
        ["NAME", field("name")],
        ["SCOPES", (row) => (row["scopes"] as string[]).join(" ")],
        ["USED", (row) => ago(row["last_used_at"])],
        ["REVOKED", (row) => ago(row["revoked_at"])],
      ],
    }),
    create: operation({
      usage: "keys create <name> [--scope s]…",
      summary: "Makes an API key. It is shown once.",
      options: { scope: { type: "string", multiple: true } },
      method: "POST",
      path: at,
      body: ({ words: [name], flags: { scope } }) => ({ name, ...(Array.isArray(scope) ? { scopes: scope } : {}) }),
      tell: ({ body }) => String(body["key"]),
    }),
    revoke: operation({
      usage: "keys revoke <key>",
      summary: "Revokes an API key at once.",
      method: "DELETE",
      path: `${at}/{}`,
      tell: (_, { words }) => `${words[0]} is revoked`,
    }),
  },
};
