/** Applies the channel's override to the outgoing body and headers, last in step 5; a rule may answer the caller with an error instead. */
import { OverrideProblem } from "../../../../contract/src/channels/override-reader.ts";
import { readableHeaders } from "../../channels/overrides/headers.ts";
import {
  type CompiledOverride,
  type Overridden,
  overrideOf,
  type ReturnedError,
} from "../../channels/overrides/override.ts";
import { OverrideFault } from "../../channels/overrides/work.ts";
import { parseExactObject } from "../../dialects/json/exact.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";
import { RelayError } from "../call/relay-error.ts";
import type { Target } from "../call/target.ts";
import { triedKey } from "../call/trace.ts";
import { bodyFields } from "../request/accepted.ts";
import { withAdded } from "./added-headers.ts";
import type { Attempt } from "./attempts.ts";
import { errorFor } from "./failures.ts";
import { requestedModelOf } from "./formats.ts";

/** A call that a rule ends is a try of its channel, though nothing was sent: so its row in the log names the channel and why. */
function noteTried({ attempts, channel }: Attempt, status: number, reason: string): void {
  const { call } = attempts;
  const { id, name } = channel;
  call.trace.tried.push({ id, name, ...triedKey(channel), start_ms: call.elapsedMs, ms: 0, status, reason });
}

/** The error of an override that does not fit, which ends the call: a rule that forbids something must not be passed by on another channel. */
function overrideFailed(attempt: Attempt, reason: string): RelayError {
  const error = new RelayError("param_override_failed");
  noteTried(attempt, error.status, `param_override: ${reason}`);
  return error;
}

/** The channel's override. Throws RelayError for one that was stored before it was checked, and cannot be read. */
export function channelOverride(attempt: Attempt): CompiledOverride {
  try {
    return overrideOf(attempt.channel.paramOverride);
  } catch (error) {
    if (!(error instanceof OverrideProblem)) throw error;
    throw overrideFailed(attempt, error.message);
  }
}

/** The query may hold the caller's key. */
const pathOf = (url: string): string => url.split("?", 1)[0] ?? "";

/** What conditions may read of the last failure, under the names of new-api. */
function lastError({ attempts }: Attempt): Record<string, unknown> {
  const { failed } = attempts;
  if (failed === undefined) return {};
  const { status, message, code, type } = errorFor(attempts, failed);
  return {
    last_error: { status_code: status, message, code, error_code: code, type, error_type: type, skip_retry: false },
    last_error_status_code: status,
    last_error_message: message,
    last_error_code: code,
    last_error_type: type,
  };
}

/** What conditions may read beside the body. */
function factsOf(attempt: Attempt, { upstreamModel }: Target): Record<string, unknown> {
  const { attempts } = attempt;
  const { call, accepted } = attempts;
  const index = call.trace.tried.length;
  return {
    model: upstreamModel,
    upstream_model: upstreamModel,
    original_model: requestedModelOf(accepted),
    request_path: pathOf(call.request.url ?? ""),
    retry_index: index,
    is_retry: index > 0,
    retry: { index, is_retry: index > 0 },
    is_channel_test: attempts.isTest,
    ...lastError(attempt),
  };
}

/** The body to change; undefined where it is sent unchanged. Throws RelayError 400 where the client's own bytes are no JSON inside. */
function changeableBody({ attempts }: Attempt, { isVerbatim, body }: Target): JsonObject | undefined {
  if (isVerbatim === true) return undefined;
  const fields = parseExactObject(body.toString("utf8"));
  if (fields === undefined) bodyFields(attempts.accepted);
  return fields;
}

/** What conditions read of a body that is sent unchanged: the texts of a form. */
function shownBody({ attempts }: Attempt): Record<string, unknown> {
  const { form } = attempts.accepted;
  const texts = form?.parts.filter(({ isFile }) => !isFile) ?? [];
  return Object.fromEntries(texts.map(({ name, text }) => [name, text]));
}

/** Ends the call at this channel with the error of a rule; where it lets others be asked, undefined. Throws RelayError. */
function refused(attempt: Attempt, { message, status, code, type, skipsRetry }: ReturnedError): undefined {
  const error = new RelayError("refused_by_override", { message, status, code, type });
  noteTried(attempt, status, "param_override: return_error");
  if (skipsRetry) throw error;
  attempt.attempts.untranslatable = error;
  return undefined;
}

const leftOutText = (count: number): string => `${count} left out: the body goes on as it came`;

/** The name of the model in a body that rules have changed: receipts and costs go by it, prices by the client's. */
const modelIn = (fields: JsonObject | undefined, { upstreamModel }: Target): string => {
  const named = fields?.["model"];
  return typeof named === "string" && named !== "" ? named : upstreamModel;
};

/** The added headers that no rule has changed or left out: they are put in again once the request is signed. */
function stillAdded({ addedHeaders }: Target, { headers }: Overridden): string[] {
  const sent = new Map<string, string>();
  for (let index = 0; index + 1 < headers.length; index += 2)
    sent.set((headers[index] ?? "").toLowerCase(), headers[index + 1] ?? "");
  return addedHeaders.filter((_, index) => {
    const name = addedHeaders[index - (index % 2)] ?? "";
    return sent.get(name) === addedHeaders[index - (index % 2) + 1];
  });
}

function overriddenTarget(
  target: Target,
  fields: JsonObject | undefined,
  labels: readonly string[],
  made?: Overridden,
): Target {
  const left = made === undefined || made.leftOut === 0 ? [] : [leftOutText(made.leftOut)];
  return {
    ...target,
    upstreamModel: modelIn(fields, target),
    ...(made === undefined ? {} : { headers: made.headers, addedHeaders: stillAdded(target, made) }),
    ...(made === undefined || fields === undefined ? {} : { body: Buffer.from(JSON.stringify(fields)) }),
    overrides: [...labels, ...(made?.applied ?? []), ...left],
  };
}

/** Plain fields are in the body already. */
const plainLabels = ({ plain }: CompiledOverride, { isVerbatim }: Target): readonly string[] =>
  isVerbatim === true
    ? []
    : Object.keys(plain)
        .slice(0, MAX_PLAIN)
        .map((name) => `set ${name.slice(0, MAX_NAME)}`);
const MAX_PLAIN = 32;
const MAX_NAME = 124;

function applied(attempt: Attempt, target: Target, override: CompiledOverride): Target | undefined {
  const { call } = attempt.attempts;
  const labels = plainLabels(override, target);
  const fields = changeableBody(attempt, target);
  if (!override.hasOperations) return overriddenTarget(target, fields, labels);
  let made: Overridden;
  try {
    made = override.apply({
      body: fields as Record<string, unknown> | undefined,
      shownBody: shownBody(attempt),
      headers: withAdded(target.headers, target.addedHeaders),
      clientHeaders: readableHeaders(call.request.headers),
      facts: factsOf(attempt, target),
      apiKey: attempt.channel.key,
    });
  } catch (error) {
    if (!(error instanceof OverrideFault)) throw error;
    call.trace.target = target;
    throw overrideFailed(attempt, error.message);
  }
  const changed = overriddenTarget(target, fields, labels, made);
  if (changed.body.length > call.context.limits.bodyBytes)
    throw overrideFailed(attempt, "the body has grown too large");
  if (made.refusal === undefined) return changed;
  call.trace.target = changed;
  return refused(attempt, made.refusal);
}

/** Patterns take so many times as long as reading a body does: with them smaller bodies wait for each other already. */
const PATTERN_WEIGHT = 16;

/**
 * The target with the operations of the channel's override applied; undefined where a rule refuses the request at this channel and lets
 * others be asked. Throws RelayError, or rejects with it, where a rule refuses it or does not fit it.
 */
export function withOverride(attempt: Attempt, target: Target): Promise<Target | undefined> | Target | undefined {
  const override = channelOverride(attempt);
  const { hasOperations, hasPatterns, plain, plainTexts } = override;
  if (!hasOperations && plainTexts.size === 0) return target;
  if (!hasOperations && plain["model"] === undefined)
    return overriddenTarget(target, undefined, plainLabels(override, target));
  const bytes = target.body.length * (hasPatterns ? PATTERN_WEIGHT : 1);
  return attempt.attempts.call.context.largeWork.run(bytes, () => applied(attempt, target, override));
}
