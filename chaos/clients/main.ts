import { parseArgs } from "node:util";
import { z } from "zod";
import { runProcess } from "../../shared/platform/lifecycle/run-process.ts";
import { bundleMembers } from "../stack/bundle-members.ts";
import { killClients, victims } from "./kill-clients.ts";
import { clients } from "./programs.ts";

/** Names with commas between them. */
const list = <Name extends string>(all: readonly Name[]) =>
  z
    .string()
    .default(all.join())
    .transform((text) => text.split(","))
    .pipe(z.array(z.enum(all)));

const schema = z.object({
  seed: z.coerce
    .number()
    .int()
    .min(0)
    .default(() => Math.floor(Math.random() * 2 ** 31)),
  runs: z.coerce.number().int().min(1).max(1_000).default(3),
  deaths: z.coerce.number().int().min(0).max(1_000).default(0),
  clients: list(clients),
  victims: list(victims),
});

/**
 * `npm run chaos:clients -- --seed N --runs N --deaths N --clients NAMES --victims NAMES`: fails when the death of an agent or a worker
 * costs a call, the death of gateways more calls than were under way by them, or when one changes a result. Clients in Python need a
 * package index, by pip's variables.
 */
await runProcess(async (signal) => {
  const option = { type: "string" } as const;
  const { values } = parseArgs({
    options: { seed: option, runs: option, deaths: option, clients: option, victims: option },
  });
  const options = { ...schema.parse(values), pieceMs: 400 };
  // A worker that was killed starts for less processor time.
  const members = await bundleMembers();
  const { tallies, faults } = await killClients(options, signal, members.commands).finally(() => members.remove());
  console.log(`seed ${options.seed}`);
  for (const { victim, kills, inFlight, cells } of tallies) {
    console.log(`\n${victim}: ${kills} kills${victim === "gateway" ? `, ${inFlight} calls under way by them` : ""}`);
    console.log("| client | shape | runs | attempts killed | calls billed | undisturbed |\n|---|---|---|---|---|---|");
    for (const { client, shape, runs, deaths, billed, undisturbed } of cells)
      console.log(`| ${client} | ${shape} | ${runs} | ${deaths} | ${billed} | ${undisturbed} |`);
  }
  if (faults.length > 0) throw new Error(faults.slice(0, 20).join("\n"));
});
