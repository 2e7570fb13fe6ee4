import { inputLimits } from "../../shared/domain/run/journal-limits.ts";
import type { HookDocument } from "../../shared/domain/hook/delivery.ts";
import { fillText } from "../../shared/domain/hook/template.ts";
import type { HookRules } from "../../shared/schemas/hook.ts";
import { clientId } from "../../shared/schemas/primitives.ts";
import { faultAt, fillMap } from "./fill-map.ts";

/** What a delivery says to a run that waits. */
export type DeliveredSignal = { run_id: string; name: string; payload: unknown };

/** Returns the signal of a delivery; null for a hook that starts runs. Throws ValidationFault for a delivery that names no run. */
export function signalOfDelivery({ signal, map }: HookRules, document: HookDocument): DeliveredSignal | null {
  if (signal === null) return null;
  const run_id = clientId().safeParse(fillText(signal.run_id, document));
  if (!run_id.success) throw faultAt("signal", `The delivery names no run at '${signal.run_id}'.`);
  const payload = map === null ? document.body : fillMap(map, document);
  if (Buffer.byteLength(JSON.stringify(payload ?? null)) > inputLimits.payload_bytes)
    throw faultAt("map", `A signal has at most ${inputLimits.payload_bytes} bytes as JSON.`);
  return { run_id: run_id.data, name: signal.name, payload };
}
