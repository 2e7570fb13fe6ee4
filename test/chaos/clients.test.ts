import { expect, inject, test } from "vitest";
import { killClients } from "../../chaos/clients/kill-clients.ts";

/** The whole of it is `npm run chaos:clients`. */
test("no death of an agent or a worker costs a model call of an unmodified client, or changes a result", async () => {
  const options = {
    seed: 3,
    pieceMs: 160,
    runs: 2,
    deaths: 0,
    clients: ["openai"],
    victims: ["agent", "worker"],
  } as const;
  const { tallies, faults } = await killClients(options, new AbortController().signal, inject("commands"));
  expect(faults).toEqual([]);
  expect(tallies.map(({ cells }) => cells.filter(({ billed, undisturbed }) => billed !== undisturbed))).toEqual([
    [],
    [],
  ]);
  expect(tallies.every(({ kills }) => kills > 0)).toBe(true);
}, 180_000);
