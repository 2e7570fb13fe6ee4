import type { Command } from "../command.ts";

export const rollback: Command = {
  usage: "rollback <agent> [version]",
  summary: "Makes the version current that was published before the current one, or the named one.",
  needs: 1,
  async act({ words: [agent_id = "", version], client, terminal }) {
    const moved = await client.versions.rollbackAgent({ agent_id, version });
    if (terminal.json) terminal.value(moved);
    else terminal.data(`${agent_id} ${moved.version} is the current version (was ${moved.previous_version})`);
    return 0;
  },
};
