import { z } from "zod";
import { conflict } from "../../../shared/domain/errors/app-error.ts";
import { userHasMost } from "../../../shared/domain/errors/user-has-most.ts";
import { laxFloat } from "../../../shared/schemas/primitives.ts";
import {
  namespaceSearchBody,
  storeItemBody,
  type StoreItemRecord,
  storeLimits,
  storeReadQuery,
  storeSearchBody,
} from "../../../shared/schemas/store.ts";
import { deleteItem, listNamespaces, putItem, readItem, searchItems } from "../../../shared/store/items/items.ts";
import type { ApiContext } from "../../context.ts";
import type { Operation } from "../../http/define-operation.ts";
import { defineRoute, notSupported } from "./define-route.ts";

type Store = Pick<ApiContext, "db">;

const toItem = ({ namespace, key, value, created_at, updated_at }: StoreItemRecord) => ({
  namespace,
  key,
  value,
  created_at,
  updated_at,
});

const { namespace, key, value } = storeItemBody.shape;
const minutes = laxFloat({ ge: 0.02, le: storeLimits.ttl_seconds / 60 }).nullish();

const put = defineRoute({
  method: "put",
  path: "/store/items",
  name: "put_store_item",
  scope: "store:write",
  request: { body: z.object({ namespace, key, value, ttl: minutes, index: z.unknown().optional() }) },
  async handle({ db, config }: Pick<ApiContext, "db" | "config">, { body, caller: { user_id } }) {
    if (body.index) throw notSupported("index", "The store has no vectors. Items are found by fields of their values.");
    const ttl_ms = body.ttl == null ? null : Math.round(body.ttl * 60_000);
    const item = { user_id, namespace: body.namespace, key: body.key, value: body.value, ttl_ms };
    if (!(await putItem(db, item, config.perUser.storeItems)))
      throw conflict("too_many_store_items", userHasMost("storeItems", config.perUser, user_id));
    return { status: 204 };
  },
});

const get = defineRoute({
  method: "get",
  path: "/store/items",
  name: "get_store_item",
  scope: "store:read",
  request: { query: storeReadQuery.omit({ user_id: true }) },
  async handle({ db }: Store, { query, caller: { user_id } }) {
    const item = await readItem(db, { user_id, namespace: query.namespace, key: query.key }, query.refresh_ttl);
    return { status: 200, body: item && toItem(item) };
  },
});

const remove = defineRoute({
  method: "delete",
  path: "/store/items",
  name: "delete_store_item",
  scope: "store:write",
  request: { body: z.object({ namespace, key }) },
  async handle({ db }: Store, { body, caller: { user_id } }) {
    await deleteItem(db, { user_id, namespace: body.namespace, key: body.key });
    return { status: 204 };
  },
});

const searchFields = storeSearchBody.unwrap().omit({ user_id: true }).shape;

const search = defineRoute({
  method: "post",
  path: "/store/items/search",
  name: "search_store_items",
  scope: "store:read",
  request: { body: z.object({ ...searchFields, query: z.unknown().optional() }).prefault({}) },
  async handle({ db }: Store, { body, caller: { user_id } }) {
    if (body.query != null && body.query !== "")
      throw notSupported("query", "The store has no vectors. Items are found by fields of their values: use `filter`.");
    const { namespace_prefix, filter = null, limit, offset, refresh_ttl: refresh } = body;
    const { items } = await searchItems(db, { user_id, namespace_prefix, filter, limit, offset, refresh });
    return { status: 200, body: { items: items.map(toItem) } };
  },
});

const namespaces = defineRoute({
  method: "post",
  path: "/store/namespaces",
  name: "list_store_namespaces",
  scope: "store:read",
  request: { body: namespaceSearchBody.unwrap().omit({ user_id: true }).prefault({}) },
  async handle({ db }: Store, { body, caller: { user_id } }) {
    const { prefix, suffix, max_depth = null, limit, offset } = body;
    const within = { user_id, prefix: prefix ?? [], suffix: suffix ?? [] };
    const found = await listNamespaces(db, { ...within, max_depth, limit, offset });
    return { status: 200, body: { namespaces: found.slice(0, limit) } };
  },
});

/** The store is ours (`/v1/store`). A key's user sees the own items only. */
export const storeRoutes: readonly Operation<ApiContext>[] = [put, get, remove, search, namespaces];
