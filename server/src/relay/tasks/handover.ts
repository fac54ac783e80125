/** The submission of a task to an upstream: the request, the row written before any channel is asked, and the upstream's answer. */
import { randomBytes } from "node:crypto";
import { CHANNEL_STATUS } from "../../../../contract/src/features/channels.ts";
import { objectOf, parseObject } from "../../dialects/json/fields.ts";
import { parseExactObject } from "../../dialects/json/exact.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";
import { DIALECTS } from "../../dialects/registry.ts";
import { overrideOf } from "../../channels/overrides/override.ts";
import type { SnapshotChannel } from "../../snapshot/snapshot.ts";
import {
  type StoredTask,
  type Submission,
  type SubmissionAnswer,
  type TaskChannel,
  type TaskKind,
  TaskRefusal,
  type TaskRequest,
} from "../../tasks/kinds/kind.ts";
import { TASK_KINDS } from "../../tasks/kinds/registry.ts";
import { type Caller, checkModelLimits } from "../admission/caller.ts";
import type { Call } from "../call/call.ts";
import { RelayError } from "../call/relay-error.ts";
import { endsWithin } from "../../util/deadline.ts";
import type { Accepted } from "../request/accepted.ts";
import type { TaskPath } from "../request/task-paths.ts";

/** A database that takes longer is not waited for before the client reads its error. */
const NOTE_WAIT_MS = 1_000;

/** The state of a submission while channels are tried. */
export interface Handover {
  readonly accepted: Accepted;
  readonly path: TaskPath;
  readonly submission: Submission;
  /** The same for the channel that is tried now; written anew for each where vendors have forms of their own. */
  sent: Submission;
  readonly request: TaskRequest;
  /** The task that it continues. */
  readonly origin: StoredTask | undefined;
  /** What notices of its upstream are known by; empty where it brings none. */
  readonly notifySecret: string;
  /** True once its row is there. */
  hasRow: boolean;
  /** True once an upstream has taken it, whatever became of the call. */
  isAccepted: boolean;
  /** What the last channel said where it did not take it. */
  refusal: Extract<SubmissionAnswer, { isAccepted: false }> | undefined;
  /** The vendor's words that the caller reads where every channel failed; empty where there are none. */
  failure: string;
}

function fieldsOf({ form, body }: Accepted): Record<string, unknown> {
  if (form === undefined) return { ...objectOf(parseExactObject(body.toString("utf8"))) };
  return Object.fromEntries(form.parts.filter(({ isFile }) => !isFile).map(({ name, text }) => [name, text]));
}

/** What the kind of task makes of it. Throws RelayError 400 with the code that the clients of the task's API know. */
function unlessRefused<Read>(read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof TaskRefusal)) throw error;
    const param = error.param === "" ? {} : { param: error.param };
    throw new RelayError("task_request_invalid", { code: error.kind, message: error.message, ...param });
  }
}

function requestOf(call: Call, fields: JsonObject, { verb, id, form }: TaskPath): TaskRequest {
  return { verb, id, fields, options: call.context.snapshot.options, ...(form === undefined ? {} : { form }) };
}

function submissionOf(request: TaskRequest, { platform }: TaskPath): Submission {
  const { options } = request;
  if (!(platform === "mj" ? options.DrawingEnabled : options.TaskEnabled)) throw new RelayError("tasks_disabled");
  return unlessRefused(() => TASK_KINDS[platform].submission(request));
}

/** Files of a form as data URLs, by the names of their fields. */
function filesOf({ form, body }: Accepted): JsonObject {
  const files = form?.parts.filter(({ isFile }) => isFile) ?? [];
  return Object.fromEntries(
    files.map(({ name, mimeType, valueStart, valueEnd }) => {
      const base64 = body.subarray(valueStart, valueEnd).toString("base64");
      return [name, `data:${mimeType};base64,${base64}`];
    }),
  );
}

/** The submission with what its origin says: the prompt where it has none of its own, and what the kind takes from there. */
function continued(submission: Submission, origin: StoredTask, { platform }: TaskPath): Submission {
  const kind: TaskKind = TASK_KINDS[platform];
  const known = unlessRefused(() => kind.continued?.(submission, origin) ?? submission);
  return known.prompt === "" ? { ...known, prompt: origin.prompt } : known;
}

/** The caller's own task that this one continues; one of another user is as if it were not there. Rejects with RelayError 400 or 404. */
async function originOf(
  call: Call,
  { origin }: Submission,
  { platform }: TaskPath,
  caller: Caller,
): Promise<StoredTask | undefined> {
  if (origin === undefined) return undefined;
  const [task] = await call.context.tasks.find(caller.user.id, platform, [origin.taskId]);
  if (task === undefined) throw new RelayError("task_not_found", platform === "video" ? { status: 404 } : {});
  if (origin.mustHaveSucceeded && task.status !== "SUCCESS") throw new RelayError("task_unfinished");
  return task;
}

/** What was asked for, once the body is there. Throws RelayError, or rejects with it. */
export async function handoverOf(call: Call, request: Accepted, path: TaskPath, caller: Caller): Promise<Handover> {
  const taskRequest = { ...requestOf(call, fieldsOf(request), path), files: () => filesOf(request) };
  const asked = submissionOf(taskRequest, path);
  const origin = await originOf(call, asked, path, caller);
  const submission = origin === undefined ? asked : continued(asked, origin, path);
  const { model, callFactor } = submission;
  const { options } = call.context.snapshot;
  const brings = submission.acceptsNotifications && options.ServerAddress !== "";
  return {
    // Errors are in the words of the task's API; in between it is a call like those of OpenAI's format.
    accepted: { ...request, dialect: DIALECTS["openai-chat"], model, callFactor, isStream: false },
    path,
    submission,
    sent: submission,
    request: taskRequest,
    origin,
    notifySecret: brings ? randomBytes(24).toString("base64url") : "",
    hasRow: false,
    isAccepted: false,
    refusal: undefined,
    failure: "",
  };
}

/**
 * What multiplies the price of the task with these fields, which a rule of its channel has changed: decimal text. Throws RelayError 400
 * for fields that the task cannot have.
 */
export function sentFactor(call: Call, { path, origin, submission, sent: own }: Handover, sent: JsonObject): string {
  const { written } = own;
  if (written !== undefined) {
    return unlessRefused(() => written.factorOf(sent));
  }
  const named = submission.namesModel === true ? { ...sent, model: submission.model } : sent;
  const asked = submissionOf(requestOf(call, named, path), path);
  return (origin === undefined ? asked : continued(asked, origin, path)).callFactor;
}

/** The caller, pinned to the channel of the task that the call continues. Throws RelayError 403. */
export function callerFor(caller: Caller, { origin, submission }: Handover): Caller {
  if (origin === undefined) return caller;
  // A channel that the caller did not choose takes nothing off the token's list.
  checkModelLimits(caller, submission.model);
  return { ...caller, pinnedChannelId: origin.channel_id };
}

/** The one channel, with its key, that may continue a task. Throws RelayError 400. */
export function originChannel(call: Call, origin: StoredTask): SnapshotChannel {
  const channel = call.context.snapshot.channelById(origin.channel_id);
  if (channel === undefined || channel.status !== CHANNEL_STATUS.enabled) throw new RelayError("task_channel_disabled");
  if (channel.keys === undefined) return channel;
  const keyed = channel.keys.members.find(({ ofKey }) => ofKey.id === origin.channel_key_id);
  if (keyed === undefined) throw new RelayError("task_channel_disabled");
  const { keys: _all, ...alone } = keyed;
  return alone;
}

/** The address to which the upstream sends updates of this task alone. */
const noticeUrl = (address: string, { path, notifySecret }: Handover): string =>
  `${address.replace(/\/+$/, "")}/${path.platform}/notify/${notifySecret}`;

/** Fields as they go to a channel. */
export function sentFields(call: Call, handover: Handover, channel: SnapshotChannel): object {
  const { sent, notifySecret } = handover;
  const { ServerAddress } = call.context.snapshot.options;
  const hook = notifySecret === "" ? {} : { notifyHook: noticeUrl(ServerAddress, handover) };
  return { ...sent.fields, ...hook, ...overrideOf(channel.paramOverride).plain };
}

/**
 * The row of a task says what it was charged. Never rejects: the ledger has the charge, the client is answered with the task's id, and the
 * poller notes the charge later.
 */
export async function noteCharge({ context, requestId, logFields }: Call, quota: number): Promise<void> {
  const written = context.tasks
    .charged(requestId, quota)
    .catch((error: unknown) =>
      context.logger.error({ ...logFields, err: error }, "the charge of a task could not be noted in its row"),
    );
  await endsWithin(written, NOTE_WAIT_MS);
}

/** The row of a task that no upstream took says so. Never rejects: it would be found by the poller later. */
export async function noteRefusal(
  { context, requestId, logFields }: Call,
  handover: Handover | undefined,
): Promise<void> {
  if (handover?.hasRow !== true || handover.isAccepted) return;
  const { refusal, failure } = handover;
  const written = context.tasks
    .refused(requestId, refusal?.code ?? 0, refusal?.message || failure)
    .catch((error: unknown) =>
      context.logger.error({ ...logFields, err: error }, "the row of a task that was refused could not be written"),
    );
  await endsWithin(written, NOTE_WAIT_MS);
}

/** The result of the upstream's answer; undefined for one without a task. */
export function readAnswer(call: Call, { path, sent }: Handover, text: string): SubmissionAnswer | undefined {
  const body = parseObject(text);
  if (body === undefined) return undefined;
  return sent.written === undefined ? TASK_KINDS[path.platform].answer(sent, body) : sent.written.answer(body, call);
}

/** Writes the submission for a channel; false where it does not serve the client's form. Throws RelayError 400 for what its vendor cannot do. */
export function writeFor(handover: Handover, channel: TaskChannel): boolean {
  const { path, submission, request } = handover;
  const kind: TaskKind = TASK_KINDS[path.platform];
  if (kind.forChannel === undefined) return true;
  const sent = unlessRefused(() => kind.forChannel?.(submission, request, channel));
  handover.sent = sent ?? submission;
  return sent !== undefined;
}
