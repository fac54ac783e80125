/** Other forms in which programs of this API family send the bodies and queries of a call, and how each becomes the form of the contract. */
import { readKeys } from "../channels/key-text.ts";
import { AppError } from "../errors.ts";
import { FAMILY_METHOD_WORDS } from "../payments/methods.ts";

type Fields = Readonly<Record<string, unknown>>;

/** What a form is for readers of the OpenAPI document, and how it becomes ours; bodies in our own form pass as they are. */
interface BodyForm {
  text: string;
  /** Throws AppError invalid_field, naming the field. */
  toOurs(body: Fields): Fields;
  /** What `data` of the answer is for a body in this form, of what the endpoint answers; the same where absent. */
  data?(body: Fields, data: unknown): unknown;
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** How several keys of one channel are chosen among, by new-api's words (constant/multi_key_mode.go there). */
const KEY_CHOICE_BY_MODE: Readonly<Record<string, string>> = { random: "random", polling: "in_turn" };

function newChannel({ mode, multi_key_mode, batch_add_set_key_prefix_2_name, channel, ...beside }: Fields): Fields {
  if (!isFields(channel)) throw new AppError("channel_fields_missing", { field: "channel" });
  const sent = {
    ...beside,
    ...channel,
    ...(batch_add_set_key_prefix_2_name === true && { batch_add_set_key_prefix_2_name }),
  };
  if (mode === "batch") return { ...sent, keys_make: "channels" };
  if (mode === "multi_to_single") {
    const choice = KEY_CHOICE_BY_MODE[String(multi_key_mode ?? "random")];
    if (choice === undefined)
      throw new AppError("invalid_field", { field: "multi_key_mode", message: "Expected random or polling" });
    return { ...sent, keys_make: "one_channel", key_choice: choice };
  }
  if (mode !== undefined && mode !== "single")
    throw new AppError("invalid_field", { field: "mode", message: "Expected single, batch or multi_to_single" });
  if (typeof channel["key"] === "string" && readKeys(channel["key"]).keys.length > 1)
    throw new AppError("invalid_field", {
      field: "mode",
      message: "Several keys want the mode batch (a channel each) or multi_to_single (one channel of them all)",
    });
  return sent;
}

/** Options that other gateways call by another name, and mean the same. */
const OPTION_WORDS: Readonly<Record<string, string>> = { CreateCacheRatio: "CacheCreationRatio" };

const replaced = (body: Fields, field: string, words: Readonly<Record<string, string>>): Fields => {
  const word = body[field];
  return typeof word === "string" && Object.hasOwn(words, word) ? { ...body, [field]: words[word] } : body;
};

const isDeletion = (body: Fields): boolean => "ids" in body && !("action" in body);

const PAYMENT_FORM: BodyForm = {
  text: "`payment_method` may be `alipay` or `wxpay`, for `zfb` and `wx`.",
  toOurs: (body) => replaced(body, "payment_method", FAMILY_METHOD_WORDS),
};

/** By the name of the endpoint. */
export const BODY_FORMS: Readonly<Record<string, BodyForm>> = {
  "channels.createChannel": {
    text: "Also as `{mode, multi_key_mode, channel}`: `single` (one key), `batch` (a channel for each key) or `multi_to_single` (one channel of all keys, chosen among `random` or by `polling`).",
    toOurs: (body) => ("channel" in body || "mode" in body ? newChannel(body) : body),
  },
  "tokens.batchTokens": {
    text: "`ids` without an `action` deletes; `data` is then how many there were.",
    toOurs: (body) => (isDeletion(body) ? { ...body, action: "delete" } : body),
    data: (body, data) => (isDeletion(body) ? (data as { done: number }).done : data),
  },
  "options.updateOption": {
    text: "`CreateCacheRatio` is taken for `CacheCreationRatio`.",
    toOurs: (body) => replaced(body, "key", OPTION_WORDS),
  },
  "wallet.priceAmount": PAYMENT_FORM,
  "wallet.payAmount": PAYMENT_FORM,
};

/** The body in the form of the contract. Throws AppError where it is neither. @param endpointName `<feature>.<endpoint>` */
export const bodyInOurForm = (endpointName: string, body: unknown): unknown =>
  isFields(body) ? (BODY_FORMS[endpointName]?.toOurs(body) ?? body) : body;

/** How the answer to this body has its `data`; undefined where it stays as the endpoint gives it. */
export function answerForm(endpointName: string, body: unknown): ((data: unknown) => unknown) | undefined {
  const form = BODY_FORMS[endpointName];
  return isFields(body) && form?.data !== undefined ? (data) => form.data?.(body, data) : undefined;
}

/** A query in which `size` stands for `page_size` where only that is known: half of the family's lists have one name, half the other. */
export function queryInOurForm(query: Readonly<Record<string, string>>, known: ReadonlySet<string> | undefined) {
  const { size, ...rest } = query;
  const isMeant = size !== undefined && known?.has("page_size") === true && !known.has("size");
  return isMeant && rest["page_size"] === undefined ? { ...rest, page_size: size } : query;
}
