import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
  useLocation,
} from "@tanstack/react-router";
import type { ReactElement } from "react";
import { partOf } from "./data/parts.ts";
import { readRunsSearch, type RunsSearch } from "./data/runs-search.ts";
import { RunsPage } from "./runs/runs-page.tsx";
import { NoPage, PageError } from "./shell/page-error.tsx";
import { runTitle, type TitleOf } from "./shell/page-title.tsx";
import { SharedShell } from "./shell/shared-shell.tsx";
import { Shell } from "./shell/shell.tsx";

/** A shared run stands alone: who follows the link need not be able to sign in. */
const Around = (): ReactElement => (useLocation().pathname.startsWith("/share/") ? <SharedShell /> : <Shell />);

const root = createRootRoute({ component: Around });

type Search = Record<string, unknown>;

/**
 * Returns the texts with these names that an address has: the router reads a port as a number. What is no text is undefined: what is
 * left out here, the router keeps.
 */
function readTexts<Name extends string>(...names: Name[]): (search: Search) => { [name in Name]?: string | undefined } {
  return (search) =>
    Object.fromEntries(names.map((name) => [name, textOf(search[name])])) as { [name in Name]?: string | undefined };
}

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number" ? String(value) : undefined;

/** The title of a page that is about the thing of its address. */
const of =
  (what: string): TitleOf =>
  ({ id }) =>
    `${what} · ${id}`;

const ToRuns = (): ReactElement => <Navigate to="/runs" replace />;

const index = createRoute({ getParentRoute: () => root, path: "/", component: ToRuns });
/** The shell asks for a key wherever it needs one. This address is for programs that bring a code. */
const signIn = createRoute({ getParentRoute: () => root, path: "/sign-in", component: ToRuns });
const runs = createRoute({
  getParentRoute: () => root,
  path: "/runs",
  staticData: { title: "Runs" },
  validateSearch: (search: Search): RunsSearch & { peek?: string | undefined } => ({
    ...readRunsSearch(search),
    ...readTexts("peek")(search),
  }),
  component: RunsPage,
});

type RunSearch = { tab?: string | undefined; at?: string | undefined; types?: string[] | undefined };

const readRunSearch = (search: Search): RunSearch => ({
  ...readTexts("tab", "at")(search),
  types: Array.isArray(search["types"]) ? search["types"].map(String) : undefined,
});

/* The code of the other pages is loaded when one is first opened, or when the first page is there. */
const run = createRoute({
  getParentRoute: () => root,
  path: "/runs/$id",
  staticData: { title: runTitle },
  validateSearch: readRunSearch,
  component: lazyRouteComponent(
    partOf(() => import("./run/run-page.tsx")),
    "RunPage",
  ),
});
const share = createRoute({
  getParentRoute: () => root,
  path: "/share/$id",
  staticData: { title: runTitle },
  validateSearch: readRunSearch,
  component: lazyRouteComponent(
    partOf(() => import("./run/shared-run-page.tsx")),
    "SharedRunPage",
  ),
});
const welcome = createRoute({
  getParentRoute: () => root,
  path: "/welcome",
  staticData: { title: "Welcome" },
  component: lazyRouteComponent(
    partOf(() => import("./welcome/welcome-page.tsx")),
    "WelcomePage",
  ),
});
const approve = createRoute({
  getParentRoute: () => root,
  path: "/approve",
  staticData: { title: "Sign in a program" },
  validateSearch: readTexts("port", "state", "name"),
  component: lazyRouteComponent(
    partOf(() => import("./cli-login/approve-page.tsx")),
    "ApprovePage",
  ),
});
const agents = createRoute({
  getParentRoute: () => root,
  path: "/agents",
  staticData: { title: "Agents" },
  validateSearch: readTexts("search"),
  component: lazyRouteComponent(
    partOf(() => import("./agents/agents-page.tsx")),
    "AgentsPage",
  ),
});
const agent = createRoute({
  getParentRoute: () => root,
  path: "/agents/$id",
  staticData: { title: ({ id = "" }) => id },
  component: lazyRouteComponent(
    partOf(() => import("./agents/agent-layout.tsx")),
    "AgentLayout",
  ),
});
const overview = createRoute({
  getParentRoute: () => agent,
  path: "/",
  component: lazyRouteComponent(
    partOf(() => import("./agents/agent-page.tsx")),
    "AgentPage",
  ),
});
const play = createRoute({
  getParentRoute: () => agent,
  path: "/play",
  staticData: { title: of("Playground") },
  validateSearch: readTexts("version", "from"),
  component: lazyRouteComponent(
    partOf(() => import("./play/play-page.tsx")),
    "PlayPage",
  ),
});
const versions = createRoute({
  getParentRoute: () => agent,
  path: "/versions",
  staticData: { title: of("Versions") },
  component: lazyRouteComponent(
    partOf(() => import("./versions/versions-page.tsx")),
    "VersionsPage",
  ),
});
const version = createRoute({
  getParentRoute: () => agent,
  path: "/versions/$version",
  staticData: { title: ({ id, version }) => `${version} · ${id}` },
  component: lazyRouteComponent(
    partOf(() => import("./versions/version-page.tsx")),
    "VersionPage",
  ),
});
const diff = createRoute({
  getParentRoute: () => agent,
  path: "/versions/$version/diff",
  staticData: { title: ({ id, version }) => `What ${version} changes · ${id}` },
  validateSearch: readTexts("against"),
  component: lazyRouteComponent(
    partOf(() => import("./versions/diff-page.tsx")),
    "DiffPage",
  ),
});
const settings = createRoute({
  getParentRoute: () => agent,
  path: "/settings",
  staticData: { title: of("Settings") },
  component: lazyRouteComponent(
    partOf(() => import("./settings/settings-page.tsx")),
    "SettingsPage",
  ),
});

const daemon = createRoute({
  getParentRoute: () => agent,
  path: "/daemon",
  staticData: { title: of("Daemon") },
  component: lazyRouteComponent(
    partOf(() => import("./daemons/daemon-page.tsx")),
    "DaemonPage",
  ),
});
const compare = createRoute({
  getParentRoute: () => root,
  path: "/runs/$id/vs/$other",
  staticData: { title: "Two runs" },
  component: lazyRouteComponent(
    partOf(() => import("./compare/compare-page.tsx")),
    "ComparePage",
  ),
});
const threads = createRoute({
  getParentRoute: () => root,
  path: "/threads",
  staticData: { title: "Threads" },
  component: lazyRouteComponent(
    partOf(() => import("./threads/threads-page.tsx")),
    "ThreadsPage",
  ),
});
const thread = createRoute({
  getParentRoute: () => root,
  path: "/threads/$id",
  staticData: { title: of("Thread") },
  component: lazyRouteComponent(
    partOf(() => import("./threads/thread-page.tsx")),
    "ThreadPage",
  ),
});
const inbox = createRoute({
  getParentRoute: () => root,
  path: "/inbox",
  staticData: { title: "Inbox" },
  component: lazyRouteComponent(
    partOf(() => import("./inbox/inbox-page.tsx")),
    "InboxPage",
  ),
});
const schedules = createRoute({
  getParentRoute: () => root,
  path: "/schedules",
  staticData: { title: "Schedules" },
  component: lazyRouteComponent(
    partOf(() => import("./schedules/schedules-page.tsx")),
    "SchedulesPage",
  ),
});
const schedule = createRoute({
  getParentRoute: () => root,
  path: "/schedules/$id",
  staticData: { title: of("Schedule") },
  component: lazyRouteComponent(
    partOf(() => import("./schedules/schedule-page.tsx")),
    "SchedulePage",
  ),
});
const daemons = createRoute({
  getParentRoute: () => root,
  path: "/daemons",
  staticData: { title: "Daemons" },
  component: lazyRouteComponent(
    partOf(() => import("./daemons/daemons-page.tsx")),
    "DaemonsPage",
  ),
});
const errors = createRoute({
  getParentRoute: () => root,
  path: "/errors",
  staticData: { title: "Errors" },
  validateSearch: readTexts("last", "agent", "state"),
  component: lazyRouteComponent(
    partOf(() => import("./errors/errors-page.tsx")),
    "ErrorsPage",
  ),
});
const error = createRoute({
  getParentRoute: () => root,
  path: "/errors/$fingerprint",
  staticData: { title: "An error" },
  validateSearch: readTexts("last"),
  component: lazyRouteComponent(
    partOf(() => import("./errors/error-page.tsx")),
    "ErrorPage",
  ),
});
const studio = createRoute({
  getParentRoute: () => root,
  path: "/studio",
  staticData: { title: "Studio" },
  validateSearch: readTexts("last", "agent"),
  component: lazyRouteComponent(
    partOf(() => import("./studio/studio-page.tsx")),
    "StudioPage",
  ),
});

const webhooks = createRoute({
  getParentRoute: () => root,
  path: "/webhooks",
  staticData: { title: "Webhooks" },
  component: lazyRouteComponent(
    partOf(() => import("./webhooks/webhooks-page.tsx")),
    "WebhooksPage",
  ),
});
const webhook = createRoute({
  getParentRoute: () => root,
  path: "/webhooks/$id",
  staticData: { title: of("Webhook") },
  component: lazyRouteComponent(
    partOf(() => import("./webhooks/webhook-page.tsx")),
    "WebhookPage",
  ),
});
const account = createRoute({
  getParentRoute: () => root,
  path: "/account",
  staticData: { title: "Account" },
  component: lazyRouteComponent(
    partOf(() => import("./account/account-page.tsx")),
    "AccountPage",
  ),
});
const billing = createRoute({
  getParentRoute: () => root,
  path: "/billing",
  staticData: { title: "Billing" },
  validateSearch: readTexts("tab"),
  component: lazyRouteComponent(
    partOf(() => import("./billing/billing-page.tsx")),
    "BillingPage",
  ),
});

const fleet = createRoute({
  getParentRoute: () => root,
  path: "/fleet/$tab",
  staticData: { title: ({ tab = "" }) => `Fleet: ${tab.replaceAll("-", " ")}` },
  component: lazyRouteComponent(
    partOf(() => import("./fleet/fleet-page.tsx")),
    "FleetPage",
  ),
});
const fleetIndex = createRoute({
  getParentRoute: () => root,
  path: "/fleet",
  component: () => <Navigate to="/fleet/$tab" params={{ tab: "overview" }} replace />,
});

export const router = createRouter({
  routeTree: root.addChildren([
    index,
    signIn,
    runs,
    run,
    share,
    welcome,
    approve,
    agents,
    agent.addChildren([overview, play, versions, version, diff, settings, daemon]),
    compare,
    threads,
    thread,
    inbox,
    schedules,
    schedule,
    daemons,
    errors,
    error,
    studio,
    webhooks,
    webhook,
    account,
    billing,
    fleet,
    fleetIndex,
  ]),
  basepath: "/console",
  defaultPreload: "intent",
  scrollRestoration: true,
  defaultErrorComponent: PageError,
  defaultNotFoundComponent: NoPage,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
