import type { ApiContext } from "../context.ts";
import type { Operation } from "../http/define-operation.ts";
import { listWebhooks } from "./list-webhooks.ts";
import { createWebhook } from "./create-webhook.ts";
import { getWebhook } from "./get-webhook.ts";
import { updateWebhook } from "./update-webhook.ts";
import { deleteWebhook } from "./delete-webhook.ts";
import { listDeliveries } from "./list-deliveries.ts";
import { testWebhook } from "./test-webhook.ts";
import { redeliverDelivery } from "./redeliver-delivery.ts";
import { rotateSecret } from "./rotate-secret.ts";

export const webhooksOperations: readonly Operation<ApiContext>[] = [
  listWebhooks,
  createWebhook,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  listDeliveries,
  testWebhook,
  redeliverDelivery,
  rotateSecret,
];
