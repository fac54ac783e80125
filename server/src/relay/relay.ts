/** The pipeline of one call, from its first byte to its row in the log; each step is a file of its name. */
import type { IncomingMessage } from "node:http";
import { admit } from "./admission/admit.ts";
import { authenticate } from "./admission/authenticate.ts";
import { admitBody, limitUnpaid } from "./admission/limits.ts";
import { type Caller, checkAddress } from "./admission/caller.ts";
import { groupFor } from "./admission/groups.ts";
import { hasKey, recall } from "./admission/idempotency.ts";
import { fromPlayground } from "./admission/playground.ts";
import { validate } from "./admission/validate.ts";
import { asksAgain, begin as beginAttempt, end as endAttempt, judge } from "./attempt/attempt.ts";
import { type Attempt, Attempts, nextChannel } from "./attempt/attempts.ts";
import { sendWithSearches } from "./attempt/search-rounds.ts";
import { translate } from "./attempt/translate.ts";
import { upstreamError } from "./attempt/failures.ts";
import { type Answer, type SendResult, isAnswer } from "./call/answer.ts";
import type { Call } from "./call/call.ts";
import type { RelayContext } from "./call/context.ts";
import { begin, close, conclude, refuse } from "./call/lifecycle.ts";
import type { Group, Target } from "./call/target.ts";
import { recordFailure } from "./metering/record.ts";
import { settle } from "./metering/settle.ts";
import { openSession } from "./realtime/attempt.ts";
import { type Handshake, acceptSession, checkHandshake, handshakeCall } from "./realtime/realtime.ts";
import { Delivery } from "./reply/delivery.ts";
import { recallConversation } from "./routing/conversation.ts";
import { route } from "./routing/route.ts";
import { type TaskEndpoint, answerTask } from "./tasks/reads.ts";
import { type Handover, callerFor, handoverOf, noteCharge, noteRefusal } from "./tasks/handover.ts";
import { handOver } from "./tasks/submit.ts";
import { answerLocally, isAnsweredLocally, isUnserved } from "./reply/local-response.ts";
import { accept } from "./request/accept.ts";
import type { Accepted } from "./request/accepted.ts";
import { type Endpoint, RESPONSES, type StoredPath } from "./request/paths.ts";
import { withMessages } from "./responses/at-chat.ts";
import {
  answerBackground,
  answerInBackground,
  isBackgroundId,
  isInBackground,
  withUpstreamIds,
} from "./responses/background.ts";
import { compactHere, isCompactedHere } from "./responses/compaction.ts";
import { withOpenedItems } from "./responses/sealed-items.ts";
import { noteStored, passStored } from "./responses/stored.ts";

/** How far a call has come: what its row in the log says of it where it fails. */
interface Progress {
  caller: Caller | undefined;
  accepted: Accepted | undefined;
  group: Group | undefined;
}

/**
 * The frame around every call: `steps` answer it, with the upstream's answer where one was asked; what they reject with is the client's
 * error. Never rejects.
 */
async function run<From>(
  call: Call,
  from: From,
  steps: (call: Call, from: From, progress: Progress) => Promise<Answer | undefined>,
): Promise<void> {
  const progress: Progress = { caller: undefined, accepted: undefined, group: undefined };
  begin(call);
  try {
    const answer = await steps(call, from, progress);
    conclude(call, progress, answer);
  } catch (error) {
    recordFailure(call, await refuse(call, progress, error), progress.caller, progress.accepted, progress.group);
  } finally {
    close(call);
  }
}

/** Authenticate, accept, admit, then route, translate, send and reply for each channel tried, settle, record. Never rejects. */
export const runCall = (call: Call, endpoint: Endpoint): Promise<void> => run(call, endpoint, answerCall);

async function answerCall(call: Call, endpoint: Endpoint, progress: Progress): Promise<Answer | undefined> {
  progress.caller = await authenticate(call, endpoint);
  // The head is enough to turn away who may not call: no byte of their body is read.
  const limited = limitUnpaid(call, progress.caller);
  if (limited !== undefined) await limited;
  await admitBody(call, progress.caller);
  progress.accepted = await accept(call, endpoint);
  if (endpoint.isPlayground === true) Object.assign(progress, fromPlayground(call, progress.accepted, progress.caller));
  if (endpoint.dialect === "openai-responses")
    progress.accepted = await inUpstreamWords(call, progress.accepted, progress.caller);
  if (endpoint.dialect === "openai-chat") progress.accepted = await withMessages(call, progress.accepted);
  const { caller, accepted } = progress;
  if (hasKey(call, endpoint) && (await recall(call, accepted, caller))) return undefined;
  validate(accepted, caller);
  if (isInBackground(accepted)) return void (await answerInBackground(call, accepted, caller, runCall));
  const group = (progress.group = groupFor(call.context.snapshot, caller, accepted.model));
  if (isCompactedHere(call, accepted, caller, group)) return void (await compactHere(call, accepted, caller, runCall));
  const admission = await admit(call, accepted, caller, group);
  if (call.admitted !== undefined) await call.admitted();
  const delivery = new Delivery(call, accepted, admission);
  if (isAnsweredLocally(delivery)) return void (await answerLocally(delivery));
  const attempts = new Attempts(call, accepted, admission);
  const recalled = recallConversation(attempts, { userId: caller.user.id, tokenId: caller.token.id });
  if (recalled !== undefined) await recalled;
  const answer = await ask(attempts, sendWithSearches, delivery).catch((error: unknown) => {
    if (!isUnserved(accepted, error)) throw error;
    return undefined;
  });
  if (answer === undefined) {
    if (endpoint.compacts !== true) return void (await answerLocally(delivery));
    // What was held and counted for the upstream's own way is given back: ours is a call of its own.
    await call.end(false);
    return void (await compactHere(call, accepted, caller, runCall));
  }
  const noted = noteStored(call, accepted, caller, answer);
  const { usage } = await settle(call, caller, accepted, admission, answer);
  if (noted !== undefined) await noted;
  answer.complete(usage);
  return answer;
}

/** What this gateway named and sealed in a request of Responses, as upstreams know it. Rejects with RelayError 400. */
const inUpstreamWords = (call: Call, accepted: Accepted, caller: Caller): Promise<Accepted> =>
  withUpstreamIds(call, withOpenedItems(call, accepted, caller), caller);

/** What asks for a response that its upstream stores, or changes it: passed on to the channel and the key that made it. Never rejects. */
export const runStored = (call: Call, path: StoredPath): Promise<void> =>
  run(call, path, async (_call, _path, progress) => {
    progress.caller = await authenticate(call, RESPONSES);
    await limitUnpaid(call, progress.caller);
    await (isBackgroundId(path.id) ? answerBackground : passStored)(call, path, progress.caller);
    return undefined;
  });

/**
 * Tries channels until one answers; a retry starts from the untouched body, and never happens once some of an answer reached the client.
 * `sendTo` makes one try, whose answer goes to `destination`. Throws RelayError: the last failure's, or 503 or 429 where none could be
 * tried.
 */
async function ask<Destination>(
  attempts: Attempts,
  sendTo: (attempt: Attempt, target: Target, destination: Destination) => Promise<SendResult>,
  destination: Destination,
): Promise<Answer> {
  attempts.untried = route(attempts);
  for (let channel = nextChannel(attempts); channel !== undefined; channel = nextChannel(attempts)) {
    const attempt = await beginAttempt(attempts, channel);
    if (attempt === undefined) continue;
    try {
      let target: Target | undefined;
      let result: SendResult | undefined;
      do {
        target = await translate(attempt);
        result = target === undefined ? undefined : await sendTo(attempt, target, destination);
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
export const runTask = (call: Call, endpoint: TaskEndpoint): Promise<void> => run(call, endpoint, answerTaskCall);

async function answerTaskCall(call: Call, endpoint: TaskEndpoint, progress: Progress): Promise<Answer | undefined> {
  if (endpoint.task.request !== "submit") return void (await answerTask(call, endpoint));
  const person = (progress.caller = await authenticate(call, endpoint));
  await limitUnpaid(call, person);
  await admitBody(call, person);
  const asked = await accept(call, endpoint);
  const { accepted: request, caller: owner } =
    endpoint.isPlayground === true ? fromPlayground(call, asked, person) : { accepted: asked, caller: person };
  progress.caller = owner;
  if (hasKey(call, endpoint) && (await recall(call, request, owner))) return undefined;
  checkAddress(owner.token, owner.address);
  const handover = await handoverOf(call, request, endpoint.task, owner);
  try {
    return await takeOn(call, handover, owner, progress);
  } catch (error) {
    // Before the client reads its error: one that looks then finds the task as it is.
    await noteRefusal(call, handover);
    throw error;
  }
}

/** Hands a task over and charges it. */
async function takeOn(call: Call, handover: Handover, owner: Caller, progress: Progress): Promise<Answer> {
  const accepted = (progress.accepted = handover.accepted);
  validate(accepted, owner);
  const caller = (progress.caller = callerFor(owner, handover));
  const group = (progress.group = groupFor(call.context.snapshot, caller, accepted.model));
  const admission = await admit(call, accepted, caller, group);
  const answer = await handOver(handover, new Delivery(call, accepted, admission));
  const { usage, quota, isCharged } = await settle(call, caller, accepted, admission, answer);
  if (isCharged) await noteCharge(call, quota);
  else await noteRefusal(call, handover);
  answer.complete(usage);
  return answer;
}

/** The same for a session of /v1/realtime, which is let in like a call and settles each of its answers itself. Never rejects. */
export async function runSession(
  context: RelayContext,
  request: IncomingMessage,
  endpoint: Endpoint,
  handshake: Handshake,
): Promise<void> {
  const { call, upgrade } = handshakeCall(context, request, endpoint, handshake);
  await run(call, endpoint, async (_call, _endpoint, progress) => {
    checkHandshake(call, handshake);
    const caller = (progress.caller = await authenticate(call, endpoint));
    await limitUnpaid(call, caller);
    const accepted = (progress.accepted = acceptSession(call, endpoint, caller));
    validate(accepted, caller);
    const group = (progress.group = groupFor(context.snapshot, caller, accepted.model));
    const admission = await admit(call, accepted, caller, group);
    return ask(new Attempts(call, accepted, admission), openSession, { admission, upgrade });
  });
}
