import type { ApiContext } from "../context.ts";
import type { Operation } from "../http/define-operation.ts";
import { receiveWebhookEvent } from "./receive-webhook-event.ts";
import { getWallet } from "./get-wallet.ts";
import { listPlans } from "./list-plans.ts";
import { putPlan } from "./put-plan.ts";
import { listSubscriptions } from "./list-subscriptions.ts";
import { createSubscription } from "./create-subscription.ts";
import { getSubscription } from "./get-subscription.ts";
import { cancelSubscription } from "./cancel-subscription.ts";
import { resumeSubscription } from "./resume-subscription.ts";
import { listTransactions } from "./list-transactions.ts";
import { createTransaction } from "./create-transaction.ts";
import { listPayments } from "./list-payments.ts";
import { listInvoices } from "./list-invoices.ts";
import { listUsage } from "./list-usage.ts";
import { putSpendLimit } from "./put-spend-limit.ts";
import { createCheckout } from "./create-checkout.ts";
import { createPortal } from "./create-portal.ts";
import { listBillingEvents } from "./list-billing-events.ts";
import { reapplyBillingEvent } from "./reapply-billing-event.ts";

export const billingOperations: readonly Operation<ApiContext>[] = [
  receiveWebhookEvent,
  getWallet,
  listPlans,
  putPlan,
  listSubscriptions,
  createSubscription,
  getSubscription,
  cancelSubscription,
  resumeSubscription,
  listTransactions,
  createTransaction,
  listPayments,
  listInvoices,
  listUsage,
  putSpendLimit,
  createCheckout,
  createPortal,
  listBillingEvents,
  reapplyBillingEvent,
];
