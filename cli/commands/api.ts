import { pipeline } from "node:stream/promises";
import { checkPath, cutFault, readAnswer } from "../call-service.ts";
import type { Command } from "../command.ts";
import { Fault } from "../exit-codes.ts";
import { readInput } from "./run.ts";

export const api: Command = {
  usage: "api <METHOD> <path> [-i key=value… | -f body.json | -f -]",
  summary:
    "Calls an operation of the service as it is: runfleet api GET /v1/users/me/limits. One that would answer with a run's stream answers with its record. What isn't JSON is written as it comes.",
  options: { input: { type: "string", short: "i", multiple: true }, file: { type: "string", short: "f" } },
  needs: 2,
  async act({ words: [name = "", path = ""], flags, client, terminal }) {
    if (!path.startsWith("/")) throw new Fault("usage", `'${path}' is no path of the service: it begins with '/'.`);
    const method = name.toUpperCase();
    checkPath(method, path);
    const hasBody = flags["input"] !== undefined || flags["file"] !== undefined;
    const response = await client.request(method, path, {
      body: hasBody ? readInput(flags) : undefined,
      headers: method === "POST" ? { prefer: "respond-async" } : {},
    });
    if (response.body !== null && !isJson(response)) {
      await pipeline(response.body, process.stdout, { end: false }).catch(() => {
        throw cutFault(method, path);
      });
      return 0;
    }
    const { body } = await readAnswer(response, method, path);
    if (terminal.json) terminal.value(body);
    else terminal.data(JSON.stringify(body, null, 2));
    return 0;
  },
};

const isJson = ({ headers }: Response): boolean =>
  /^application\/([\w.-]+\+)?json\b/.test(headers.get("content-type") ?? "");
