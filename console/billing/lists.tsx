import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactElement, ReactNode } from "react";
import { client } from "../data/client.ts";
import { usePages } from "../data/use-pages.ts";
import { Button } from "../ui/button.tsx";
import { formatCount, formatMs, formatTokens, shortId } from "../ui/format.ts";
import { Listed } from "../ui/listed.tsx";
import { Empty } from "../ui/states.tsx";
import { Num, Table } from "../ui/table.tsx";
import { Clock } from "../ui/time.tsx";
import styles from "./billing.module.css";
import { formatAmount, formatMicro } from "./money.ts";

type Of = { of: { user_id?: string } };

type ListProps<T> = {
  query: ReturnType<typeof usePages<T>>;
  heads: readonly string[];
  caption: string;
  empty: string;
  children: (one: T) => ReactNode;
};

const List = <T,>({ query, heads, caption, empty, children }: ListProps<T>): ReactElement => (
  <Listed
    query={query}
    empty={
      <Empty title={`No ${caption.toLowerCase()} yet`}>
        <p>{empty}</p>
      </Empty>
    }
  >
    {(rows) => (
      <Table heads={heads} caption={caption}>
        {rows.map(children)}
      </Table>
    )}
  </Listed>
);

const newest = { limit: 100 };

export function Transactions({ of }: Of): ReactElement {
  const query = usePages(["transactions", of], () => client.billing.listTransactions({ ...of, ...newest }), {
    refetchMs: 15_000,
  });
  return (
    <List
      query={query}
      heads={["What", "Description", "Cause", "Amount#", "Booked#"]}
      caption="Transactions"
      empty="Each payment into the wallet and each booking of usage appears here."
    >
      {(one) => (
        <tr key={one.id}>
          <td>{one.type.replaceAll("_", " ")}</td>
          <td className="dim">{one.description ?? ""}</td>
          <td>
            {one.source} <span className="num dim">{shortId(one.source_id)}</span>
          </td>
          <Num>{formatMicro(one.amount_micro_usd)}</Num>
          <Num>
            <Clock at={one.created_at} />
          </Num>
        </tr>
      )}
    </List>
  );
}

export function Usage({ of }: Of): ReactElement {
  const query = usePages(["billing-usage", of], () => client.billing.listUsage({ ...of, ...newest }), {
    refetchMs: 15_000,
  });
  return (
    <List
      query={query}
      heads={["Agent", "Run", "Took#", "CPU#", "Tokens in / out#", "Tools#", "Cost#", "Ended#"]}
      caption="Usage"
      empty="What each run has used appears here when it has ended."
    >
      {(one) => (
        <tr key={one.id}>
          <td>
            {one.agent_id} <span className="num dim">{one.version}</span>
          </td>
          <td>
            {one.run_id && (
              <Link to="/runs/$id" params={{ id: one.run_id }} className={`num ${styles.link}`}>
                {shortId(one.run_id)}
              </Link>
            )}
          </td>
          <Num>{formatMs(one.duration_ms)}</Num>
          <Num>{formatMs(one.cpu_ms)}</Num>
          <Num>{formatTokens(one)}</Num>
          <Num>{formatCount(one.tool_calls)}</Num>
          <Num>
            {one.booked_at === null ? <span className="dim">not booked yet</span> : formatMicro(one.cost_micro_usd)}
          </Num>
          <Num>
            <Clock at={one.created_at} />
          </Num>
        </tr>
      )}
    </List>
  );
}

export function Payments({ of }: Of): ReactElement {
  const query = usePages(["payments", of], () => client.billing.listPayments({ ...of, ...newest }));
  return (
    <List
      query={query}
      heads={["Payment", "Status", "Amount#", "In the wallet#", "Made#"]}
      caption="Payments"
      empty="Payments that the payment provider tells of appear here."
    >
      {(one) => (
        <tr key={one.id}>
          <td>{one.description ?? <span className="num">{shortId(one.id)}</span>}</td>
          <td>
            {one.status} {one.failure_message && <span className="bad">{one.failure_message}</span>}
            {one.refunded_amount > 0 && (
              <span className="dim"> {formatAmount(one.refunded_amount, one.currency)} refunded</span>
            )}
            {one.disputed && <span className="bad"> disputed</span>}
          </td>
          <Num>{formatAmount(one.amount, one.currency)}</Num>
          <Num>{formatMicro(one.wallet_micro_usd)}</Num>
          <Num>
            <Clock at={one.created_at} />
          </Num>
        </tr>
      )}
    </List>
  );
}

export function Invoices({ of }: Of): ReactElement {
  const query = usePages(["invoices", of], () => client.billing.listInvoices({ ...of, ...newest }));
  return (
    <List
      query={query}
      heads={["Invoice", "Status", "Due#", "Paid#", "Made#"]}
      caption="Invoices"
      empty="Invoices of subscriptions appear here, with a link to the provider’s page."
    >
      {(one) => (
        <tr key={one.id}>
          <td>
            {one.hosted_url?.startsWith("https://") ? (
              <a href={one.hosted_url} rel="noopener noreferrer" target="_blank" className={styles.link}>
                {one.number ?? shortId(one.id)}
              </a>
            ) : (
              (one.number ?? shortId(one.id))
            )}
          </td>
          <td>{one.status}</td>
          <Num>{formatAmount(one.amount_due, one.currency)}</Num>
          <Num>{formatAmount(one.amount_paid, one.currency)}</Num>
          <Num>
            <Clock at={one.created_at} />
          </Num>
        </tr>
      )}
    </List>
  );
}

export function Plans({ plan }: { plan: string | undefined }): ReactElement {
  const query = usePages(["plans"], () => client.billing.listPlans(newest));
  const here = location.origin + location.pathname;
  const subscribe = useMutation({
    mutationFn: (plan_id: string) => client.billing.createCheckout({ plan_id, success_url: here, cancel_url: here }),
    onSuccess: ({ url }) => location.assign(url),
  });
  const most = (value: number | null): string => (value === null ? "no limit" : formatCount(value));
  return (
    <>
      {subscribe.error && (
        <p role="alert" className={`bad ${styles.about}`}>
          {subscribe.error.message}
        </p>
      )}
      <List
        query={query}
        heads={["Plan", "Price#", "Runs a week#", "Spend a week#", "At once#", "Requests a minute#", ""]}
        caption="Plans"
        empty="This deployment sells no plans: nothing limits what you spend but the limits above."
      >
        {(one) => (
          <tr key={one.id}>
            <td>
              {one.name} {one.id === plan && <span className="dim">yours</span>}
            </td>
            <Num>
              {formatMicro(one.price_micro_usd)} a {one.interval}
            </Num>
            <Num>{most(one.weekly_runs)}</Num>
            <Num>{one.weekly_micro_usd === null ? "no limit" : formatMicro(one.weekly_micro_usd)}</Num>
            <Num>{most(one.max_concurrent_runs)}</Num>
            <Num>{most(one.requests_per_minute)}</Num>
            <td className={styles.act}>
              {one.id !== plan && one.provider_price_id !== null && (
                <Button disabled={subscribe.isPending} onClick={() => subscribe.mutate(one.id)}>
                  Subscribe to {one.name}
                </Button>
              )}
            </td>
          </tr>
        )}
      </List>
    </>
  );
}
