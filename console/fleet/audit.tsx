import { keepPreviousData } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import type { AuditEntry } from "../../sdk/ts/index.ts";
import { client } from "../data/client.ts";
import { usePages } from "../data/use-pages.ts";
import { Button } from "../ui/button.tsx";
import { Listed } from "../ui/listed.tsx";
import { Empty } from "../ui/states.tsx";
import { Table } from "../ui/table.tsx";
import { Clock } from "../ui/time.tsx";
import styles from "./fleet.module.css";

const fields = [
  ["actor", "who, such as a key’s id"],
  ["action", "what, such as update_agent"],
  ["target_type", "kind, such as agent"],
  ["target_id", "id of the thing"],
] as const;
type Filter = { [name in (typeof fields)[number][0]]?: string };

/** Who changed what. */
export function Audit(): ReactElement {
  const [filter, setFilter] = useState<Filter>({});
  const query = usePages(["audit", filter], () => client.admin.listAudit({ limit: 100, ...filter }), {
    placeholderData: keepPreviousData,
    refetchMs: 15_000,
  });
  return (
    <>
      <form
        className={styles.bar}
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          const given = [...new FormData(event.currentTarget)].filter(([, text]) => text !== "");
          setFilter(Object.fromEntries(given) as Filter);
        }}
      >
        {fields.map(([name, example]) => (
          <label key={name}>
            <span className="unseen">{name.replace("_", " ")}</span>
            <input name={name} placeholder={example} />
          </label>
        ))}
        <Button type="submit">Show</Button>
      </form>
      <Listed
        query={query}
        empty={
          <Empty title="No act matches">
            <p>Everything that changes something is recorded here, with who did it.</p>
          </Empty>
        }
      >
        {(entries) => (
          <Table heads={["When", "Who", "Did", "To", "With", "From"]} caption="Audit log">
            {entries.map((entry) => (
              <Entry key={entry.id} entry={entry} />
            ))}
          </Table>
        )}
      </Listed>
    </>
  );
}

const Entry = ({ entry }: { entry: AuditEntry }): ReactElement => (
  <tr>
    <td>
      <Clock at={entry.created_at} />
    </td>
    <td className={`num ${styles.wrap}`}>{entry.actor}</td>
    <td>{entry.action.replaceAll("_", " ")}</td>
    <td className={styles.wrap}>
      {entry.target_type.replaceAll("_", " ")} <span className="num dim">{entry.target_id}</span>
    </td>
    <td className={`num dim ${styles.wrap}`}>
      {Object.entries(entry.detail)
        .map(([name, value]) => `${name}: ${String(value)}`)
        .join(", ")}
    </td>
    <td className="num dim">{entry.ip}</td>
  </tr>
);
