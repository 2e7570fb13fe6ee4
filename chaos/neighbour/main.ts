import { parseArgs } from "node:util";
import { z } from "zod";
import { runProcess } from "../../shared/platform/lifecycle/run-process.ts";
import { hostileAgents } from "./hostile-agents.ts";
import { type Beside, runNeighbour, type Verdict } from "./run-neighbour.ts";

const schema = z.object({
  seed: z.coerce.number().int().min(0).default(0),
  attacks: z.coerce.number().int().min(1).default(hostileAgents.length),
  seconds: z.coerce.number().min(1).max(600).default(25),
  only: z.string().default(""),
});

/** `npm run neighbour -- --seed N --attacks N --seconds N --only NAME`: fails when hostile runs harm another owner's runs. */
await runProcess(async (signal) => {
  const option = { type: "string" } as const;
  const { values } = parseArgs({ options: { seed: option, attacks: option, seconds: option, only: option } });
  const verdict = await runNeighbour(schema.parse(values), signal);
  console.log(format(verdict));
  const all = [...verdict.faults, ...verdict.attacks.flatMap(({ faults, slow }) => [...faults, ...slow])];
  if (all.length > 0) throw new Error(`${all.length} faults: ${all.join("; ")}`);
});

function format({ quiet, attacks, faults }: Verdict): string {
  const times = ({ runs, p50, p99 }: Beside) => `${runs} | ${p50} | ${p99}`;
  const rows = attacks.map(({ attack, endings, beside, faults: found, slow }) => {
    const broken = [...found, ...slow];
    const ended = Object.entries(endings)
      .map(([event, count]) => `${count} ${event}`)
      .join(", ");
    return `| ${broken.length > 0 ? `**${broken.join("; ")}**` : "held"} | ${attack.class} | ${attack.name} | ${ended} | ${times(beside)} |`;
  });
  return [
    "| | class | hostile agent | its runs | neighbour's runs | p50 ms | p99 ms |\n|---|---|---|---|---|---|---|",
    `| | | none | | ${times(quiet)} |`,
    ...rows,
    faults.length > 0
      ? `\n${faults.join("\n")}`
      : "\nNo attempt of the neighbour was charged, no process was restarted.",
  ].join("\n");
}
