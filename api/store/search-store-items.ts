import { storeItems, storeSearchBody } from "../../shared/schemas/store.ts";
import { searchItems } from "../../shared/store/items/items.ts";
import type { ApiContext } from "../context.ts";
import { ownerOf } from "../http/caller.ts";
import { defineOperation } from "../http/define-operation.ts";

export const searchStoreItems = defineOperation({
  method: "post",
  path: "/v1/store/items/search",
  name: "search_store_items",
  area: "Store",
  scope: "store:read",
  audit: { none: "It changes nothing." },
  summary: "Find items by namespace and by fields of their values",
  description: "The item that was written last comes first.",
  request: { body: storeSearchBody },
  errors: ["foreign_user_id"],
  responses: { 200: { description: "A page of items", schema: storeItems } },
  async handle({ db }: Pick<ApiContext, "db">, { body, caller }) {
    const { namespace_prefix, filter = null, limit, offset, refresh_ttl: refresh } = body;
    const user_id = ownerOf(caller, body.user_id);
    const search = { user_id, namespace_prefix, filter, limit, offset, refresh };
    const { items: data, has_more } = await searchItems(db, search);
    return { status: 200, body: { data, has_more } };
  },
});
