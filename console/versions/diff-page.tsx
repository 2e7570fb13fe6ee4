import { useQuery } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import type { ReactElement } from "react";
import type { VersionDiff } from "../../sdk/ts/index.ts";
import { client } from "../data/client.ts";
import { DiffLines } from "../ui/diff-lines.tsx";
import { showValue } from "../ui/format.ts";
import { Empty, Loaded } from "../ui/states.tsx";
import styles from "./versions.module.css";

/** What changed between two versions: files line by line, the config place by place. */
export function DiffPage(): ReactElement {
  const { id, version } = useParams({ from: "/agents/$id/versions/$version/diff" });
  const { against } = useSearch({ from: "/agents/$id/versions/$version/diff" });
  const query = useQuery({
    queryKey: ["diff", id, version, against],
    queryFn: () => client.versions.diff(id, version, { against }),
  });
  return (
    <Loaded query={query}>
      {(diff) => (
        <>
          <div className={styles.bar}>
            <span>
              <Link to="/agents/$id/versions/$version" params={{ id, version: diff.from }} className="num">
                {diff.from}
              </Link>{" "}
              <span className="dim">to</span>{" "}
              <Link to="/agents/$id/versions/$version" params={{ id, version: diff.to }} className="num">
                {diff.to}
              </Link>{" "}
              <span className="dim">
                {diff.changes.length} {diff.changes.length === 1 ? "change" : "changes"}
                {diff.has_more ? ", and more" : ""}
              </span>
            </span>
          </div>
          {diff.changes.length === 0 ? (
            <Empty title="Nothing differs">
              <p>Both versions have the same code and config.</p>
            </Empty>
          ) : (
            diff.changes.map((change) => <Change key={change.path.join("/")} change={change} />)
          )}
        </>
      )}
    </Loaded>
  );
}

const Change = ({ change: { path, op, before, after } }: { change: VersionDiff["changes"][number] }): ReactElement => (
  <section className={styles.change} aria-label={path.join("/")}>
    <h2>
      <span className="num">{path.join("/")}</span> <span className="dim">{op}</span>
    </h2>
    <DiffLines
      label={`Lines of ${path.join("/")}`}
      before={op === "added" ? "" : showValue(before)}
      after={op === "removed" ? "" : showValue(after)}
    />
  </section>
);
