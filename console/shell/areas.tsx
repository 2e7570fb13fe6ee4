import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactElement } from "react";
import type { CurrentSession } from "../../sdk/ts/index.ts";
import { client } from "../data/client.ts";
import { allows } from "../data/session.ts";
import { formatCount } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";
import { areas } from "./area-list.ts";
import styles from "./shell.module.css";

/** The areas of the console that the session may see, and what the service is. */
export const Areas = ({ session }: { session: CurrentSession }): ReactElement => (
  <nav aria-label="Areas" className={styles.areas}>
    {areas
      .filter(({ scope }) => allows(session, scope))
      .map(({ name, to, icon, key }) => (
        <Link
          key={to}
          to={to}
          activeProps={{ "aria-current": "page" }}
          aria-keyshortcuts={`g ${key}`}
          title={`${name} (g ${key})`}
        >
          <Icon name={icon} />
          <span>{name}</span>
        </Link>
      ))}
    <Service />
  </nav>
);

function Service(): ReactElement | null {
  const { data } = useQuery({
    queryKey: ["health"],
    queryFn: () => client.system.health(),
    refetchInterval: 15_000,
  });
  if (!data) return null;
  const level = data.sandbox_levels.length === 0 ? "–" : String(Math.min(...data.sandbox_levels));
  return (
    <dl className={styles.service}>
      <div>
        <dt>Workers</dt>
        <dd>{formatCount(data.workers)}</dd>
      </div>
      <div title={data.sandbox_missing.join("\n")}>
        <dt>Sandbox level</dt>
        <dd>{level}</dd>
      </div>
      <div>
        <dt>Version</dt>
        <dd>{data.version}</dd>
      </div>
    </dl>
  );
}
