/** Refuses what every upstream would refuse, before anything is held for it; part of step 3. */
import { isUtf8 } from "node:buffer";
import type { JsonField } from "../../dialects/json/bytes.ts";
import { ownName } from "../../dialects/neutral/field-names.ts";
import { RelayError } from "../call/relay-error.ts";
import { meterOf } from "../metering/meters.ts";
import { type Accepted, type RequestBody, requestField } from "../request/accepted.ts";
import { neededFields } from "../request/operations.ts";
import { type Caller, checkAddress } from "./caller.ts";

// Refuses requests that two readers could read in two ways: what is charged has to be what is done. Part of step 3.

/** Fields that say here what a call costs or how it is answered. */
const READ_HERE: ReadonlySet<string> = new Set([
  "model",
  "messages",
  "contents",
  "generationConfig",
  "generation_config",
  "input",
  "prompt",
  "documents",
  "instances",
  "parameters",
  "stream",
  "stream_options",
  "stream_format",
  "background",
  "store",
  "n",
  "size",
  "quality",
  "max_tokens",
  "max_completion_tokens",
  "max_output_tokens",
  "tools",
  "web_search_options",
  // What is held besides (unseen-parts.ts).
  "previous_response_id",
  "conversation",
  "cachedContent",
  "cached_content",
  "container",
  "mcp_servers",
  "plugins",
  "search_parameters",
  "enable_search",
  "data_sources",
  "conversation_id",
  "max_tool_calls",
  "enable_thinking",
  "thinking_budget",
  "chat_template_kwargs",
  "extra_body",
  "output_config",
  "reasoning_effort",
  "reasoning",
  "include_reasoning",
  "thinking",
  "prediction",
  "best_of",
  // What makes an upstream dearer (metering/surcharges.ts).
  "service_tier",
  "serviceTier",
  "speed",
  "fallbacks",
  "models",
  "route",
]);

/** Fields of forms that come once for each entry of a list, without the `[]` that most of them have. */
const FORM_LISTS: ReadonlySet<string> = new Set([
  "image",
  "include",
  "known_speaker_names",
  "known_speaker_references",
  "timestamp_granularities",
]);

const PLAIN_NAME = /^[a-z0-9_]*$/;

/** As readers compare names that do not mind their case (Go's encoding/json takes `MODEL` and even `ſtream`). */
const folded = (name: string): string => name.toUpperCase().toLowerCase();

/** How a name of ours is written, by what such readers compare. */
const SPELLINGS: ReadonlyMap<string, string> = new Map([...READ_HERE].map((name) => [folded(name), name]));

const ambiguous = (name: string, message: string): RelayError =>
  new RelayError("ambiguous_field", { message, param: name });

function checkName(name: string): void {
  const meant = SPELLINGS.get(PLAIN_NAME.test(name) ? name : folded(name));
  if (meant !== undefined && meant !== name) throw ambiguous(name, `The field '${name}' has to be written '${meant}'.`);
}

function checkNames(fields: readonly JsonField[], mayRepeat: (name: string) => boolean): void {
  const seen = new Set<string>();
  for (const { name } of fields) {
    if (seen.has(name) && !mayRepeat(name))
      throw ambiguous(name, `The request has the field '${name}' more than once.`);
    seen.add(name);
    checkName(name);
  }
}

/** Text that is no UTF-8 would be replaced on the way by each reader in its own way. */
function checkText(body: Buffer, fields: readonly JsonField[]): void {
  if (isUtf8(body)) return;
  const name = fields.find(({ valueStart, valueEnd }) => !isUtf8(body.subarray(valueStart, valueEnd)))?.name;
  const place = name === undefined ? "The body" : `The value of '${name}'`;
  throw new RelayError("invalid_json", {
    message: `${place} is not valid UTF-8.`,
    ...(name === undefined ? {} : { param: name }),
  });
}

/** Throws RelayError 400 naming the field that stands twice, is written as another reader would take for one of ours, or is no UTF-8. */
function refuseAmbiguous({ info, form, body }: RequestBody): void {
  const { fields } = info.top;
  checkNames(fields, form === undefined ? (name) => !READ_HERE.has(name) : (name) => FORM_LISTS.has(name));
  if (form === undefined) checkText(body, fields);
}

/** What no vendor goes beyond (platform.openai.com/docs/api-reference/chat/create, n); it multiplies what is held and charged. */
const MAX_CHOICES = 128;
/** What the ledger has room for; a longer name is of no model, and would be repeated in the answer. */
const MODEL_CHARACTERS = 255;
/** Largest value of max_tokens that is no mistake. */
const MAX_TOKENS_BOUND = 2 ** 30;

/** Checks address and request; after authentication, so that strangers learn nothing. Throws RelayError 400 or 403. */
export function validate(accepted: Accepted, caller: Caller): void {
  checkAddress(caller.token, caller.address);
  const { info, model } = accepted;
  refuseAmbiguous(accepted);
  if (model === "") throw new RelayError("model_missing", { param: "model" });
  if (model.length > MODEL_CHARACTERS) throw new RelayError("model_too_long", { param: "model" });
  for (const { field, code } of neededFields(accepted)) {
    if (!info.top.fields.some(({ name }) => name === field)) throw new RelayError(code, { param: field });
  }
  meterOf(accepted.operation).check?.(accepted);
  if (info.choices > MAX_CHOICES)
    throw new RelayError("choices_invalid", { param: ownName(accepted.dialect.fieldNames, "n") });
  if ((info.maxTokens ?? 0) > MAX_TOKENS_BOUND)
    throw new RelayError("max_tokens_invalid", { param: maxTokensField(accepted) });
}

/** The field that set the limit of tokens, as the client calls it: chat completions have two. */
function maxTokensField(accepted: Accepted): string {
  const isNewer = requestField(accepted, "max_completion_tokens") === accepted.info.maxTokens;
  return isNewer ? "max_completion_tokens" : ownName(accepted.dialect.fieldNames, "max_tokens");
}
