/** The pipeline of one call, from its first byte to its row in the log; each step is a file of its name. */
import type { IncomingMessage } from "node:http";
import { type Admission, admit } from "./admission/admit.ts";
import { authenticate } from "./admission/authenticate.ts";
import { admitBody, limitUnpaid } from "./admission/limits.ts";
import { type Caller, checkAddress } from "./admission/caller.ts";
import { groupFor } from "./admission/groups.ts";
import { hasKey, recall } from "./admission/idempotency.ts";
import { fromPlayground } from "./admission/playground.ts";
import { validate } from "./admission/validate.ts";
import { asksAgain, begin as beginAttempt, end as endAttempt, judge } from "./attempt/attempt.ts";
import { type Attempt, Attempts } from "./attempt/attempts.ts";
import { send } from "./attempt/send.ts";
import { translate } from "./attempt/translate.ts";
import { upstreamError } from "./attempt/failures.ts";
import { type Answer, type SendResult, isAnswer } from "./call/answer.ts";
import type { Call } from "./call/call.ts";
import type { RelayContext } from "./call/context.ts";
import { begin, close, conclude, refuse } from "./call/lifecycle.ts";
import type { Target } from "./call/target.ts";
import { recordFailure } from "./metering/record.ts";
import { settle } from "./metering/settle.ts";
import type { Group } from "./metering/terms.ts";
import { openSession } from "./realtime/attempt.ts";
import { type Handshake, acceptSession, checkHandshake, handshakeCall } from "./realtime/realtime.ts";
import { Delivery } from "./reply/delivery.ts";
import { recallConversation } from "./routing/conversation.ts";
import { route } from "./routing/route.ts";
import { type TaskEndpoint, answerTask } from "./tasks/reads.ts";
import { type Handover, callerFor, handoverOf, noteCharge, noteRefusal } from "./tasks/handover.ts";
import { handOver } from "./tasks/submit.ts";
import { answerHere, isAnsweredHere } from "./reply/local-response.ts";
import { accept } from "./request/accept.ts";
import type { Accepted } from "./request/accepted.ts";
import type { Endpoint } from "./request/paths.ts";

/** Authenticate, accept, admit, then route, translate, send and reply for each channel tried, settle, record. Never rejects. */
export async function runCall(call: Call, endpoint: Endpoint): Promise<void> {
  let caller: Caller | undefined;
  let accepted: Accepted | undefined;
  let group: Group | undefined;
  begin(call);
  try {
    caller = await authenticate(call, endpoint);
    // The head is enough to turn away who may not call: no byte of their body is read.
    const limited = limitUnpaid(call, caller);
    if (limited !== undefined) await limited;
    await admitBody(call, caller);
    accepted = await accept(call, endpoint);
    if (endpoint.isPlayground === true) ({ caller, accepted } = fromPlayground(call, accepted, caller));
    if (hasKey(call, endpoint) && (await recall(call, accepted, caller))) return conclude(call);
    validate(accepted, caller);
    group = groupFor(call.context.snapshot, caller, accepted.model);
    const admission = await admit(call, accepted, caller, group);
    const delivery = new Delivery(call, accepted, admission);
    if (isAnsweredHere(delivery)) {
      await answerHere(delivery);
      return conclude(call);
    }
    const attempts = new Attempts(call, accepted, admission);
    const recalled = recallConversation(attempts, caller.user.id);
    if (recalled !== undefined) await recalled;
    const answer = await ask(attempts, (attempt, target) => send(attempt, delivery, target));
    const { usage } = await settle(call, caller, accepted, admission, answer);
    answer.complete(usage);
    conclude(call, answer);
  } catch (error) {
    recordFailure(call, await refuse(call, error), caller, accepted, group);
  } finally {
    close(call);
  }
}

/**
 * Tries channels until one answers; a retry starts from the untouched body, and never happens once some of an answer reached the client.
 * Throws RelayError: the last failure's, or 503 or 429 where none could be tried.
 */
async function ask(
  attempts: Attempts,
  sendTo: (attempt: Attempt, target: Target) => Promise<SendResult>,
): Promise<Answer> {
  for (const channel of route(attempts)) {
    const attempt = await beginAttempt(attempts, channel);
    if (attempt === undefined) continue;
    try {
      let [target, result]: [Target?, SendResult?] = [];
      do {
        target = await translate(attempt);
        result = target === undefined ? undefined : await sendTo(attempt, target);
      } while (target !== undefined && result !== undefined && asksAgain(attempt, target, result));
      const mayGoOn = judge(attempt, target, result);
      if (result !== undefined && isAnswer(result)) return result;
      if (!mayGoOn) break;
    } finally {
      endAttempt(attempt);
    }
  }
  throw upstreamError(attempts);
}

/**
 * The same for a task, which an upstream takes on and finishes later: it is charged once that has said so, and its row is there before.
 * What only asks for tasks is answered at once. Never rejects.
 */
export async function runTask(call: Call, endpoint: TaskEndpoint): Promise<void> {
  let caller: Caller | undefined;
  let handover: Handover | undefined;
  let group: Group | undefined;
  begin(call);
  try {
    if (endpoint.task.request !== "submit") {
      await answerTask(call, endpoint);
      return conclude(call);
    }
    caller = await authenticate(call, endpoint);
    await limitUnpaid(call, caller);
    await admitBody(call, caller);
    const request = await accept(call, endpoint);
    if (hasKey(call, endpoint) && (await recall(call, request, caller))) return conclude(call);
    checkAddress(caller.token, caller.address);
    handover = await handoverOf(call, request, endpoint.task, caller);
    const { accepted } = handover;
    validate(accepted, caller);
    caller = callerFor(caller, handover);
    group = groupFor(call.context.snapshot, caller, accepted.model);
    const admission = await admit(call, accepted, caller, group);
    const answer = await handOver(handover, new Delivery(call, accepted, admission));
    const { usage, quota, isCharged } = await settle(call, caller, accepted, admission, answer);
    if (isCharged) await noteCharge(call, quota);
    else await noteRefusal(call, handover);
    answer.complete(usage);
    conclude(call, answer);
  } catch (error) {
    // Before the client reads its error: who looks then finds the task as it is.
    await noteRefusal(call, handover);
    recordFailure(call, await refuse(call, error), caller, handover?.accepted, group);
  } finally {
    close(call);
  }
}

/** The same for a session of /v1/realtime, which is let in like a call and settles each of its answers itself. Never rejects. */
export async function runSession(
  context: RelayContext,
  request: IncomingMessage,
  endpoint: Endpoint,
  handshake: Handshake,
): Promise<void> {
  const { call, upgrade } = handshakeCall(context, request, endpoint, handshake);
  let caller: Caller | undefined;
  let accepted: Accepted | undefined;
  let group: Group | undefined;
  begin(call);
  try {
    checkHandshake(call, handshake);
    caller = await authenticate(call, endpoint);
    await limitUnpaid(call, caller);
    accepted = acceptSession(call, endpoint, caller);
    validate(accepted, caller);
    group = groupFor(context.snapshot, caller, accepted.model);
    const admission: Admission = await admit(call, accepted, caller, group);
    const attempts = new Attempts(call, accepted, admission);
    conclude(call, await ask(attempts, (attempt, target) => openSession(attempt, target, admission, upgrade)));
  } catch (error) {
    recordFailure(call, await refuse(call, error), caller, accepted, group);
  } finally {
    close(call);
  }
}
