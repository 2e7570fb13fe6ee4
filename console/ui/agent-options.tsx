import { useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { client } from "../data/client.ts";

/** Proposes the newest agents to a text field whose `list` is this id. The id of any other one can be typed. */
export function AgentOptions({ id }: { id: string }): ReactElement {
  const { data } = useQuery({ queryKey: ["agent-names"], queryFn: () => client.agents.list({ limit: 100 }).page() });
  return (
    <datalist id={id}>
      {data?.data.map((agent) => (
        <option key={agent.id} value={agent.id}>
          {agent.name}
        </option>
      ))}
    </datalist>
  );
}
