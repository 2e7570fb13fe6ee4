import { agentFrames, answerHeaders, archives, controlFrames, daemonsFrames, httpAnswers } from "./channel-decoders.ts";
import type { Decoder } from "./decoder.ts";
import { openFetchAnswers, openGatewayAnswers, openGatewayRequests } from "./socket-decoders.ts";
import {
  callbackUrls,
  configs,
  dataUrls,
  proxyHeaders,
  proxyTargets,
  queueEntries,
  requestBodies,
  retryAfter,
  schedules,
  streamEntries,
  workerMessages,
} from "./text-decoders.ts";

/** Every reader of foreign bytes: a line each. */
export async function openDecoders(): Promise<Decoder[]> {
  return [
    agentFrames,
    daemonsFrames,
    controlFrames,
    archives,
    ...httpAnswers,
    answerHeaders,
    requestBodies,
    queueEntries,
    workerMessages,
    streamEntries,
    configs,
    callbackUrls,
    retryAfter,
    dataUrls,
    schedules,
    proxyTargets,
    proxyHeaders,
    await openGatewayRequests(),
    await openGatewayAnswers(),
    await openFetchAnswers(),
  ];
}
