import { namespaces, namespaceSearchBody } from "../../shared/schemas/store.ts";
import { listNamespaces } from "../../shared/store/items/items.ts";
import type { ApiContext } from "../context.ts";
import { ownerOf } from "../http/caller.ts";
import { defineOperation } from "../http/define-operation.ts";

export const listStoreNamespaces = defineOperation({
  method: "post",
  path: "/v1/store/namespaces",
  name: "list_store_namespaces",
  area: "Store",
  scope: "store:read",
  audit: { none: "It changes nothing." },
  summary: "The namespaces that have items",
  description: "Use it to find out what is kept, before a search.",
  request: { body: namespaceSearchBody },
  errors: ["foreign_user_id"],
  responses: { 200: { description: "A page of namespaces, in their order", schema: namespaces } },
  async handle({ db }: Pick<ApiContext, "db">, { body, caller }) {
    const { prefix, suffix, max_depth = null, limit, offset } = body;
    const within = { user_id: ownerOf(caller, body.user_id), prefix: prefix ?? [], suffix: suffix ?? [] };
    const found = await listNamespaces(db, { ...within, max_depth, limit, offset });
    return { status: 200, body: { data: found.slice(0, limit), has_more: found.length > limit } };
  },
});
