import { useQuery } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import { client } from "../data/client.ts";
import { Loaded } from "../ui/states.tsx";
import { Table } from "../ui/table.tsx";
import styles from "./fleet.module.css";

/** The variables that the API runs with. */
export function Config(): ReactElement {
  const [isOnlySet, setOnlySet] = useState(false);
  const query = useQuery({ queryKey: ["config"], queryFn: () => client.admin.getConfig() });
  return (
    <>
      <div className={styles.bar}>
        <span className="dim">Of the API that has answered. Workers have variables of their own.</span>
        <label>
          <input type="checkbox" checked={isOnlySet} onChange={({ target }) => setOnlySet(target.checked)} /> only those
          that are set
        </label>
      </div>
      <Loaded query={query}>
        {({ data }) => (
          <Table heads={["Variable", "Value", "From"]} caption="Variables">
            {data
              .filter(({ is_set }) => is_set || !isOnlySet)
              .map(({ name, value, is_set }) => (
                <tr key={name}>
                  <td className="num">{name}</td>
                  <td className="num">{value ?? <span className="dim">{is_set ? "set, and not shown" : "–"}</span>}</td>
                  <td>{is_set ? "the environment" : <span className="dim">default</span>}</td>
                </tr>
              ))}
          </Table>
        )}
      </Loaded>
    </>
  );
}
