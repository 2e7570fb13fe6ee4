import type { ApiContext } from "../context.ts";
import type { Operation } from "../http/define-operation.ts";
import { deleteStoreItem } from "./delete-store-item.ts";
import { getStoreItem } from "./get-store-item.ts";
import { listStoreNamespaces } from "./list-store-namespaces.ts";
import { putStoreItem } from "./put-store-item.ts";
import { searchStoreItems } from "./search-store-items.ts";

export const storeOperations: readonly Operation<ApiContext>[] = [
  putStoreItem,
  getStoreItem,
  deleteStoreItem,
  searchStoreItems,
  listStoreNamespaces,
];
