import type { ApiContext } from "../context.ts";
import type { Operation } from "../http/define-operation.ts";
import { deleteOwnedSecret } from "./delete-secret.ts";
import { listOwnedSecrets } from "./list-secrets.ts";
import { putOwnedSecret } from "./put-secret.ts";

export const secretsOperations: readonly Operation<ApiContext>[] = [
  listOwnedSecrets,
  putOwnedSecret,
  deleteOwnedSecret,
];
