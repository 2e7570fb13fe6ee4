/** The areas of the console. Behind `g`, `key` leads there. */
export const areas = [
  { name: "Runs", to: "/runs", icon: "runs", scope: "runs:read", key: "r" },
  { name: "Agents", to: "/agents", icon: "agents", scope: "agents:read", key: "a" },
  { name: "Threads", to: "/threads", icon: "threads", scope: "threads:read", key: "t" },
  { name: "Inbox", to: "/inbox", icon: "inbox", scope: "notifications:read", key: "i" },
  { name: "Schedules", to: "/schedules", icon: "schedules", scope: "jobs:read", key: "s" },
  { name: "Daemons", to: "/daemons", icon: "daemons", scope: "daemons:read", key: "d" },
  { name: "Errors", to: "/errors", icon: "errors", scope: "studio:read", key: "e" },
  { name: "Studio", to: "/studio", icon: "studio", scope: "studio:read", key: "o" },
  { name: "Webhooks", to: "/webhooks", icon: "webhooks", scope: "notifications:read", key: "w" },
  { name: "Billing", to: "/billing", icon: "billing", scope: "billing:read", key: "b" },
  { name: "Account", to: "/account", icon: "account", scope: "users:read", key: "c" },
  { name: "Fleet", to: "/fleet", icon: "fleet", scope: "admin", key: "f" },
] as const;
