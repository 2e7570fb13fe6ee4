import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type ReactElement, useState } from "react";
import type { SpendLimit, Wallet } from "../../sdk/ts/index.ts";
import { client, renew } from "../data/client.ts";
import { useSession } from "../data/session.ts";
import { AskDialog } from "../ui/ask-dialog.tsx";
import { Button } from "../ui/button.tsx";
import { FigureRow } from "../ui/figures.tsx";
import { formatCount } from "../ui/format.ts";
import { Page, Section } from "../ui/page.tsx";
import { Loaded } from "../ui/states.tsx";
import { Table } from "../ui/table.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { Clock } from "../ui/time.tsx";
import styles from "./billing.module.css";
import { Invoices, Payments, Plans, Transactions, Usage } from "./lists.tsx";
import { formatMicro } from "./money.ts";

const tabs = [
  { id: "transactions", name: "Transactions" },
  { id: "usage", name: "Usage" },
  { id: "payments", name: "Payments" },
  { id: "invoices", name: "Invoices" },
  { id: "plans", name: "Plans" },
];

/** The wallet, the plan, what was spent, and what was paid. */
export function BillingPage(): ReactElement {
  const asked = useSearch({ from: "/billing" }).tab;
  const tab = tabs.some(({ id }) => id === asked) ? (asked ?? "transactions") : "transactions";
  const navigate = useNavigate();
  const { data: session } = useSession();
  const of = session?.user_id ? { user_id: session.user_id } : {};
  const query = useQuery({
    queryKey: ["wallet", of],
    queryFn: () => client.billing.getWallet(of),
    refetchInterval: 15_000,
    enabled: session !== undefined,
  });
  return (
    <Page title="Billing" actions={<Pay />}>
      <Loaded query={query}>
        {(wallet) => (
          <>
            <FigureRow figures={figuresOf(wallet)} />
            <Limits wallet={wallet} />
          </>
        )}
      </Loaded>
      <Tabs
        label="Billing"
        tabs={tabs}
        chosen={tab}
        onChoose={(id) => void navigate({ to: "/billing", search: { tab: id }, replace: true })}
      >
        {tab === "transactions" && <Transactions of={of} />}
        {tab === "usage" && <Usage of={of} />}
        {tab === "payments" && <Payments of={of} />}
        {tab === "invoices" && <Invoices of={of} />}
        {tab === "plans" && <Plans plan={query.data?.plan?.id} />}
      </Tabs>
    </Page>
  );
}

const figuresOf = ({ balance_micro_usd, plan, week }: Wallet): [string, string][] => [
  ["Balance", formatMicro(balance_micro_usd)],
  ["Plan", plan?.name ?? "none"],
  ["Spent this week", partOf(formatMicro(week.micro_usd), plan?.weekly_micro_usd, formatMicro)],
  ["Runs this week", partOf(formatCount(week.runs), plan?.weekly_runs, formatCount)],
  ["At once", plan?.max_concurrent_runs == null ? "no limit" : formatCount(plan.max_concurrent_runs)],
];

const partOf = (part: string, most: number | null | undefined, format: (value: number) => string): string =>
  most == null ? part : `${part} of ${format(most)}`;

/** Money moves on the payment provider's pages only. */
function Pay(): ReactElement {
  const [isAsking, setAsking] = useState(false);
  const [dollars, setDollars] = useState("20");
  const here = location.origin + location.pathname;
  const checkout = useMutation({
    mutationFn: () =>
      client.billing.createCheckout({
        amount_usd_cents: Math.round(Number(dollars) * 100),
        success_url: here,
        cancel_url: here,
      }),
    onSuccess: ({ url }) => location.assign(url),
  });
  const portal = useMutation({
    mutationFn: () => client.billing.createPortal({ return_url: here }),
    onSuccess: ({ url }) => location.assign(url),
  });
  return (
    <>
      {portal.error && (
        <span role="alert" className="bad">
          {portal.error.message}
        </span>
      )}
      <Button disabled={portal.isPending} onClick={() => portal.mutate()}>
        Cards and invoices
      </Button>
      <Button look="primary" onClick={() => setAsking(true)}>
        Top up…
      </Button>
      {isAsking && (
        <AskDialog
          title="Top the wallet up"
          act="Go to the payment page"
          error={checkout.error}
          isPending={checkout.isPending}
          onSubmit={() => checkout.mutate()}
          onClose={() => setAsking(false)}
        >
          <label>
            US dollars
            <input
              required
              type="number"
              min={1}
              step="0.01"
              value={dollars}
              onChange={({ target }) => setDollars(target.value)}
            />
          </label>
        </AskDialog>
      )}
    </>
  );
}

function Limits({ wallet }: { wallet: Wallet }): ReactElement {
  const [isAsking, setAsking] = useState(false);
  const put = usePutLimit(wallet, () => setAsking(false));
  return (
    <Section title="Spend limits" actions={<Button onClick={() => setAsking(true)}>Set a limit…</Button>}>
      {put.error && (
        <p role="alert" className={`bad ${styles.about}`}>
          {put.error.message}
        </p>
      )}
      {wallet.spend_limits.length === 0 ? (
        <p className={styles.about}>
          No limit is set: runs are accepted as long as the plan
          {wallet.plan?.prepaid ? " and the wallet allow" : " allows"} it.
        </p>
      ) : (
        <Table heads={["In a", "Limit", "Spent", "Since", "Beyond it", ""]} caption="Spend limits">
          {wallet.spend_limits.map((limit) => (
            <Row
              key={limit.period}
              limit={limit}
              isPending={put.isPending}
              onRemove={() => put.mutate({ period: limit.period, amount_micro_usd: null, enforced: limit.enforced })}
            />
          ))}
        </Table>
      )}
      {isAsking && <NewLimit wallet={wallet} onClose={() => setAsking(false)} />}
    </Section>
  );
}

type Limit = Pick<SpendLimit, "period" | "enforced"> & { amount_micro_usd: number | null };

const usePutLimit = ({ user_id }: Wallet, onDone: () => void) =>
  useMutation({
    mutationFn: (limit: Limit) => client.billing.putSpendLimit({ user_id, ...limit }),
    onSuccess: async () => {
      await renew(["wallet"]);
      onDone();
    },
  });

const Row = ({
  limit,
  isPending,
  onRemove,
}: {
  limit: SpendLimit;
  isPending: boolean;
  onRemove: () => void;
}): ReactElement => (
  <tr>
    <td>{limit.period}</td>
    <td className="num">{formatMicro(limit.amount_micro_usd)}</td>
    <td>
      <span className="num">{formatMicro(limit.spent_micro_usd)}</span>
      <meter
        className={styles.meter}
        aria-label={`Spent this ${limit.period}`}
        min={0}
        max={Math.max(1, limit.amount_micro_usd)}
        value={Math.min(limit.spent_micro_usd, limit.amount_micro_usd)}
      />
    </td>
    <td>
      <Clock at={limit.period_started_at} />
    </td>
    <td>{limit.enforced ? "runs are refused" : "you are told"}</td>
    <td className={styles.act}>
      <Button aria-label={`Remove the limit of a ${limit.period}`} disabled={isPending} onClick={onRemove}>
        Remove
      </Button>
    </td>
  </tr>
);

function NewLimit({ wallet, onClose }: { wallet: Wallet; onClose: () => void }): ReactElement {
  const [period, setPeriod] = useState<SpendLimit["period"]>("month");
  const [dollars, setDollars] = useState("50");
  const [enforced, setEnforced] = useState(true);
  const put = usePutLimit(wallet, onClose);
  return (
    <AskDialog
      title="Set a spend limit"
      act="Set it"
      error={put.error}
      isPending={put.isPending}
      onSubmit={() => put.mutate({ period, enforced, amount_micro_usd: Math.round(Number(dollars) * 1_000_000) })}
      onClose={onClose}
    >
      <label>
        In a
        <select value={period} onChange={({ target }) => setPeriod(target.value as SpendLimit["period"])}>
          <option>day</option>
          <option>week</option>
          <option>month</option>
        </select>
      </label>
      <label>
        US dollars
        <input
          required
          type="number"
          min={0}
          step="0.01"
          value={dollars}
          onChange={({ target }) => setDollars(target.value)}
        />
      </label>
      <label>
        <input type="checkbox" checked={enforced} onChange={({ target }) => setEnforced(target.checked)} /> Refuse runs
        beyond it; else you are only told
      </label>
    </AskDialog>
  );
}
