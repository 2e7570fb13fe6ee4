import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactElement } from "react";
import type { DeadLetter } from "../../sdk/ts/index.ts";
import { client, renew } from "../data/client.ts";
import { usePages } from "../data/use-pages.ts";
import { Button } from "../ui/button.tsx";
import { formatCount, shortId } from "../ui/format.ts";
import { Listed } from "../ui/listed.tsx";
import { Empty } from "../ui/states.tsx";
import { Num, Table } from "../ui/table.tsx";
import { Clock } from "../ui/time.tsx";
import styles from "./fleet.module.css";

/** Callbacks and messages of webhooks that were given up. */
export function DeadLetters(): ReactElement {
  const query = usePages(["dead-letters"], () => client.admin.listDeadLetters({ limit: 100 }), { refetchMs: 10_000 });
  const again = useMutation({
    mutationFn: redeliver,
    onSettled: () => renew(["dead-letters"]),
  });
  return (
    <>
      {again.error && (
        <p role="alert" className={`bad ${styles.about}`}>
          {again.error.message}
        </p>
      )}
      <Listed
        query={query}
        empty={
          <Empty title="No dead letters">
            <p>A callback or a message of a webhook that no try could deliver appears here, and is sent again.</p>
          </Empty>
        }
      >
        {(letters) => (
          <Table heads={["What", "Host", "User", "Run", "Tries#", "Last error", "Created#", ""]} caption="Dead letters">
            {letters.map((letter) => (
              <tr key={letter.id}>
                <td className="num">{letter.type}</td>
                <td className="num">{letter.url_host}</td>
                <td>{letter.user_id}</td>
                <td>
                  {letter.run_id && (
                    <Link to="/runs/$id" params={{ id: letter.run_id }} className={`num ${styles.link}`}>
                      {shortId(letter.run_id)}
                    </Link>
                  )}
                </td>
                <Num>{formatCount(letter.tries)}</Num>
                <td className={`bad ${styles.wrap}`}>{letter.last_error}</td>
                <Num>
                  <Clock at={letter.created_at} />
                </Num>
                <td className={styles.act}>
                  <Button
                    disabled={again.isPending}
                    aria-label={`Send again: ${letter.id}`}
                    onClick={() => again.mutate(letter)}
                  >
                    Send again
                  </Button>
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Listed>
    </>
  );
}

async function redeliver({ id, run_id, webhook_id }: DeadLetter): Promise<unknown> {
  if (webhook_id !== null) return client.webhooks.redeliverDelivery(webhook_id, { delivery_id: id });
  return client.runs.redeliverCallback(run_id ?? "");
}
