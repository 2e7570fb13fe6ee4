import { useNavigate, useParams } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { Page } from "../ui/page.tsx";
import { Empty } from "../ui/states.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { Audit } from "./audit.tsx";
import { InternalJobs } from "./internal-jobs.tsx";
import { Config } from "./config.tsx";
import { Costs } from "./costs.tsx";
import { DeadLetters } from "./dead-letters.tsx";
import { Overview } from "./overview.tsx";
import { Queues } from "./queues.tsx";
import { Users } from "./users.tsx";
import { Workers } from "./workers.tsx";

const tabs = {
  overview: ["Overview", Overview],
  workers: ["Workers", Workers],
  queues: ["Queues", Queues],
  "dead-letters": ["Dead letters", DeadLetters],
  users: ["Users", Users],
  costs: ["Costs", Costs],
  audit: ["Audit", Audit],
  "internal-jobs": ["Internal jobs", InternalJobs],
  config: ["Config", Config],
} as const;

/** The service as its operators see it. */
export function FleetPage(): ReactElement {
  const { tab } = useParams({ from: "/fleet/$tab" });
  const navigate = useNavigate();
  const Shown = Object.hasOwn(tabs, tab) ? tabs[tab as keyof typeof tabs][1] : null;
  return (
    <Page title="Fleet">
      <Tabs
        label="Fleet"
        tabs={Object.entries(tabs).map(([id, [name]]) => ({ id, name }))}
        chosen={tab}
        onChoose={(id) => void navigate({ to: "/fleet/$tab", params: { tab: id }, replace: true })}
      >
        {Shown === null ? (
          <Empty title="There is no such page">
            <p>Choose a tab above.</p>
          </Empty>
        ) : (
          <Shown />
        )}
      </Tabs>
    </Page>
  );
}
