import { agentFrames, answerHeaders, archives, controlFrames, daemonsFrames, httpAnswers } from "./channel-decoders.ts";
import type { Decoder } from "./decoder.ts";
import { hookDeliveries, hookRules, questionForms, signedPaths } from "./door-decoders.ts";
import { modelAnswers, modelRequests } from "./model-decoders.ts";
import {
  openFetchAnswers,
  openGatewayAnswers,
  openGatewayCalls,
  openGatewayRequests,
  openServiceAnswers,
} from "./socket-decoders.ts";
import {
  callbackUrls,
  connectionCalls,
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
  echoedSecrets,
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
    connectionCalls,
    echoedSecrets,
    modelRequests,
    modelAnswers,
    retryAfter,
    dataUrls,
    schedules,
    hookDeliveries,
    hookRules,
    questionForms,
    signedPaths,
    proxyTargets,
    proxyHeaders,
    await openGatewayRequests(),
    await openGatewayAnswers(),
    await openGatewayCalls(),
    await openServiceAnswers(),
    await openFetchAnswers(),
  ];
}
