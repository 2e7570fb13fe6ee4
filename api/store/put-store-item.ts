import { conflict } from "../../shared/domain/errors/app-error.ts";
import { userHasMost } from "../../shared/domain/errors/user-has-most.ts";
import { storeItem, storeItemBody } from "../../shared/schemas/store.ts";
import { putItem } from "../../shared/store/items/items.ts";
import type { ApiContext } from "../context.ts";
import { ownerOf } from "../http/caller.ts";
import { defineOperation } from "../http/define-operation.ts";

export const putStoreItem = defineOperation({
  method: "put",
  path: "/v1/store/items",
  name: "put_store_item",
  area: "Store",
  scope: "store:write",
  audit: { none: "The item is the record." },
  summary: "Write an item",
  description:
    "Replaces the item that is there. An item is found by its namespace, its key and fields of its value; there is no search by meaning.",
  request: { body: storeItemBody },
  errors: ["foreign_user_id", "too_many_store_items"],
  responses: { 200: { description: "The item", schema: storeItem } },
  async handle({ db, config }: Pick<ApiContext, "config" | "db">, { body, caller }) {
    const { namespace, key, value, ttl_seconds } = body;
    const user_id = ownerOf(caller, body.user_id);
    const ttl_ms = ttl_seconds == null ? null : Math.round(ttl_seconds * 1000);
    const item = await putItem(db, { user_id, namespace, key, value, ttl_ms }, config.perUser.storeItems);
    if (!item) throw conflict("too_many_store_items", userHasMost("storeItems", config.perUser, user_id));
    return { status: 200, body: item };
  },
});
