import type { ApiContext } from "../context.ts";
import type { Operation } from "../http/define-operation.ts";
import { createUser } from "./create-user.ts";
import { listUsers } from "./list-users.ts";
import { getMe } from "./get-me.ts";
import { updateMe } from "./update-me.ts";
import { getUser } from "./get-user.ts";
import { updateUser } from "./update-user.ts";
import { deleteUser } from "./delete-user.ts";
import { listApiKeys } from "./list-api-keys.ts";
import { createApiKey } from "./create-api-key.ts";
import { revokeApiKey } from "./revoke-api-key.ts";
import { getMyUsage } from "./get-my-usage.ts";
import { getMyLimits } from "./get-my-limits.ts";
import { rotateSigningSecret } from "./rotate-signing-secret.ts";

export const usersOperations: readonly Operation<ApiContext>[] = [
  createUser,
  listUsers,
  getMe,
  updateMe,
  getUser,
  updateUser,
  deleteUser,
  listApiKeys,
  createApiKey,
  revokeApiKey,
  getMyUsage,
  getMyLimits,
  rotateSigningSecret,
];
