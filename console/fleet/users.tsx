import { keepPreviousData, useMutation } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import type { AdminUser } from "../../sdk/ts/index.ts";
import { client, renew } from "../data/client.ts";
import { usePages } from "../data/use-pages.ts";
import { AskDialog } from "../ui/ask-dialog.tsx";
import { Button } from "../ui/button.tsx";
import { formatCost, formatCount, formatShare } from "../ui/format.ts";
import { Icon } from "../ui/icon.tsx";
import { Listed } from "../ui/listed.tsx";
import { Empty } from "../ui/states.tsx";
import { Num, Table } from "../ui/table.tsx";
import { Ago } from "../ui/time.tsx";
import styles from "./fleet.module.css";

/** All users, with what their runs did in the last 30 days. */
export function Users(): ReactElement {
  const [search, setSearch] = useState("");
  const [isMaking, setMaking] = useState(false);
  const [removed, setRemoved] = useState<AdminUser | null>(null);
  const query = usePages(
    ["users", search],
    () => client.admin.listAllUsers({ limit: 100, ...(search !== "" && { search }) }),
    { placeholderData: keepPreviousData, refetchMs: 30_000 },
  );
  return (
    <>
      <div className={styles.bar}>
        <label>
          <span className="unseen">Search in ids, names and addresses</span>
          <input
            type="search"
            placeholder="Search users"
            value={search}
            onChange={({ target }) => setSearch(target.value)}
          />
        </label>
        <Button look="primary" onClick={() => setMaking(true)}>
          <Icon name="plus" size={13} />
          New user
        </Button>
      </div>
      <Listed
        query={query}
        empty={
          <Empty title={search === "" ? "No users yet" : "No user matches"}>
            <p>A user owns agents, runs and keys. Without keys, users appear when their names are used.</p>
          </Empty>
        }
      >
        {(users) => (
          <Table heads={["User", "Email", "Runs, 30 d#", "Success#", "Cost#", "Created#", ""]} caption="Users">
            {users.map((user) => (
              <tr key={user.id}>
                <td>
                  {user.name ?? ""} <span className="num dim">{user.id}</span>
                </td>
                <td>{user.email}</td>
                <Num>{formatCount(user.figures.runs)}</Num>
                <Num>{formatShare(user.figures.success_rate)}</Num>
                <Num>{formatCost(user.figures.cost_usd)}</Num>
                <Num>
                  <Ago at={user.created_at} />
                </Num>
                <td className={styles.act}>
                  <Button aria-label={`Delete ${user.id}`} onClick={() => setRemoved(user)}>
                    Delete…
                  </Button>
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Listed>
      {isMaking && <New onClose={() => setMaking(false)} />}
      {removed && <Remove user={removed} onClose={() => setRemoved(null)} />}
    </>
  );
}

function New({ onClose }: { onClose: () => void }): ReactElement {
  const [id, setId] = useState("");
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const make = useMutation({
    mutationFn: () => client.users.create({ id: id || null, name: name || null, email: email || null }),
    onSuccess: async () => {
      await renew(["users"]);
      onClose();
    },
  });
  return (
    <AskDialog
      title="New user"
      act="Make it"
      error={make.error}
      isPending={make.isPending}
      onSubmit={() => make.mutate()}
      onClose={onClose}
    >
      <label>
        Id; empty: the service makes one
        <input className="num" value={id} onChange={({ target }) => setId(target.value)} />
      </label>
      <label>
        Name
        <input value={name} onChange={({ target }) => setName(target.value)} />
      </label>
      <label>
        Email
        <input type="email" value={email} onChange={({ target }) => setEmail(target.value)} />
      </label>
    </AskDialog>
  );
}

function Remove({ user, onClose }: { user: AdminUser; onClose: () => void }): ReactElement {
  const remove = useMutation({
    mutationFn: () => client.users.delete(user.id),
    onSuccess: async () => {
      await renew(["users"]);
      onClose();
    },
  });
  return (
    <AskDialog
      title={`Delete ${user.id}?`}
      act="Delete it"
      look="danger"
      error={remove.error}
      isPending={remove.isPending}
      onSubmit={() => remove.mutate()}
      onClose={onClose}
    >
      <p>Keys and sessions end, and webhooks go. Agents of the user have to be deleted before.</p>
    </AskDialog>
  );
}
