/** What every upstream would refuse is refused here, before anything is held for it; part of step 3. */
import { ownName } from "../../dialects/neutral/field-names.ts";
import { RelayError } from "../call/relay-error.ts";
import { meterOf } from "../metering/meters.ts";
import { type Accepted, requestField } from "../request/accepted.ts";
import { neededFields } from "../request/operations.ts";
import { refuseAmbiguous } from "../request/duplicate-keys.ts";
import { type Caller, checkAddress } from "./caller.ts";

/** What no vendor goes beyond (platform.openai.com/docs/api-reference/chat/create, n); it multiplies what is held and charged. */
const MAX_CHOICES = 128;
/** What the ledger has room for; a longer name is of no model, and would be repeated in the answer. */
const MODEL_CHARACTERS = 255;
const NOTHING: Readonly<Record<string, string>> = Object.freeze({});
/** Largest value of max_tokens that is no mistake. */
const MAX_TOKENS_BOUND = 2 ** 30;

function refuseUnserved(accepted: Accepted): void {
  for (const [field, reason] of Object.entries(accepted.dialect.unserved ?? NOTHING))
    if (requestField(accepted, field) === true)
      throw new RelayError("not_served", { message: `'${field}' is not served: ${reason}.`, param: field });
}

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
  refuseUnserved(accepted);
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
