import { AppError } from "../../shared/domain/errors/app-error.ts";
import { storeItem, storeReadQuery } from "../../shared/schemas/store.ts";
import { readItem } from "../../shared/store/items/items.ts";
import type { ApiContext } from "../context.ts";
import { ownerOf } from "../http/caller.ts";
import { defineOperation } from "../http/define-operation.ts";

export const getStoreItem = defineOperation({
  method: "get",
  path: "/v1/store/items",
  name: "get_store_item",
  area: "Store",
  scope: "store:read",
  summary: "Read an item",
  description: "Use it to read what an agent or a client has kept under a namespace and a key.",
  request: { query: storeReadQuery },
  errors: ["foreign_user_id", "store_item_not_found"],
  responses: { 200: { description: "The item", schema: storeItem } },
  async handle({ db }: Pick<ApiContext, "db">, { query, caller }) {
    const { namespace, key, refresh_ttl } = query;
    const item = await readItem(db, { user_id: ownerOf(caller, query.user_id), namespace, key }, refresh_ttl);
    if (!item)
      throw new AppError(
        "not_found",
        "store_item_not_found",
        `No item '${key}' in the namespace '${namespace.join(".")}'.`,
      );
    return { status: 200, body: item };
  },
});
