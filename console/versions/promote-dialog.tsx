import { useMutation, useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";
import type { StudioFigures } from "../../sdk/ts/index.ts";
import { client, renew } from "../data/client.ts";
import { Button } from "../ui/button.tsx";
import { Dialog, DialogButtons } from "../ui/dialog.tsx";
import { formatCost, formatCount, formatMs, formatShare } from "../ui/format.ts";
import { Num, Table } from "../ui/table.tsx";
import { useVersionFigures } from "./use-version-figures.ts";

type Props = { agentId: string; version: string; onClose: () => void };

/** Makes a version the current one, with a look at how both do. */
export function PromoteDialog({ agentId, version, onClose }: Props): ReactElement {
  const { data: agent } = useQuery({ queryKey: ["agent", agentId], queryFn: () => client.agents.get(agentId) });
  const current = agent?.current_version ?? "";
  const promote = useMutation({
    mutationFn: () => client.versions.upgradeAgent({ agent_id: agentId, version }),
    onSuccess: async () => {
      await renew();
      onClose();
    },
  });
  return (
    <Dialog title={`Make ${version} the current version?`} onClose={onClose}>
      <p className="dim">New runs that ask for “current” get it at once. Runs that have begun keep their version.</p>
      <Table heads={["Version", "Runs, 30 days#", "Success#", "p95#", "Cost#"]}>
        <Compared agentId={agentId} version={current} note="now" />
        <Compared agentId={agentId} version={version} note="then" />
      </Table>
      {promote.error && (
        <p role="alert" className="bad">
          {promote.error.message}
        </p>
      )}
      <DialogButtons>
        <Button onClick={onClose}>Leave it</Button>
        <Button look="primary" disabled={promote.isPending} onClick={() => promote.mutate()}>
          Promote {version}
        </Button>
      </DialogButtons>
    </Dialog>
  );
}

function Compared({ agentId, version, note }: { agentId: string; version: string; note: string }): ReactElement {
  const { data } = useVersionFigures(agentId, version);
  return (
    <tr>
      <td>
        <span className="num">{version}</span> <span className="dim">{note}</span>
      </td>
      <Figures totals={data?.totals} />
    </tr>
  );
}

const Figures = ({ totals }: { totals: StudioFigures["totals"] | undefined }): ReactElement => (
  <>
    <Num>{formatCount(totals?.runs)}</Num>
    <Num>{formatShare(totals?.success_rate)}</Num>
    <Num>{formatMs(totals?.latency_ms.p95)}</Num>
    <Num>{formatCost(totals?.cost_usd)}</Num>
  </>
);
