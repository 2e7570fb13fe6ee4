import { callService } from "../call-service.ts";
import type { Command } from "../command.ts";
import { Fault } from "../exit-codes.ts";
import { readInput } from "./run.ts";

export const api: Command = {
  usage: "api <METHOD> <path> [-i key=value… | -f body.json | -f -]",
  summary: "Calls an operation of the service as it is: runfleet api GET /v1/users/me/limits.",
  options: { input: { type: "string", short: "i", multiple: true }, file: { type: "string", short: "f" } },
  needs: 2,
  async act({ words: [method = "", path = ""], flags, client, terminal }) {
    if (!path.startsWith("/")) throw new Fault("usage", `'${path}' is no path of the service: it begins with '/'.`);
    const hasBody = flags["input"] !== undefined || flags["file"] !== undefined;
    const { body } = await callService(client, method.toUpperCase(), path, hasBody ? readInput(flags) : undefined);
    if (terminal.json) terminal.value(body);
    else terminal.data(JSON.stringify(body, null, 2));
    return 0;
  },
};
