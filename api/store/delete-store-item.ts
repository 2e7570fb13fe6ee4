import { AppError } from "../../shared/domain/errors/app-error.ts";
import { storeItemQuery } from "../../shared/schemas/store.ts";
import { deleteItem } from "../../shared/store/items/items.ts";
import type { ApiContext } from "../context.ts";
import { ownerOf } from "../http/caller.ts";
import { defineOperation } from "../http/define-operation.ts";

export const deleteStoreItem = defineOperation({
  method: "delete",
  path: "/v1/store/items",
  name: "delete_store_item",
  area: "Store",
  scope: "store:write",
  audit: { none: "Items are data of clients, which delete many." },
  summary: "Delete an item",
  description: "Use it to remove a value before its time to live ends.",
  request: { query: storeItemQuery },
  errors: ["foreign_user_id", "store_item_not_found"],
  responses: { 204: { description: "Deleted" } },
  async handle({ db }: Pick<ApiContext, "db">, { query: { namespace, key, user_id }, caller }) {
    if (!(await deleteItem(db, { user_id: ownerOf(caller, user_id), namespace, key })))
      throw new AppError(
        "not_found",
        "store_item_not_found",
        `No item '${key}' in the namespace '${namespace.join(".")}'.`,
      );
    return { status: 204 };
  },
});
