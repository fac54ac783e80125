/** What each field that programs of this API family send in writes of the console does here: the table behind refusals by name and behind the list `ignored` of an answer. */
import { z } from "zod";

/**
 * `obeyed`: the field does here what it does elsewhere. `refused`: elsewhere it changes what happens and here it cannot, so that a value that would
 * change something is refused by name. `ignored`: editors send it back as they read it, no gateway of the family writes it by this call.
 */
type FieldRule = "obeyed" | "refused" | "ignored";

type FieldTable = Readonly<Record<string, FieldRule>>;

const rules = (rule: FieldRule, names: string): FieldTable =>
  Object.fromEntries(names.split(" ").map((name) => [name, rule]));

/** Columns of new-api's `model.Channel` (github.com/QuantumNous/new-api, model/channel.go) and the additional keys of its PUT. */
const CHANNEL: FieldTable = {
  ...rules("obeyed", "type key openai_organization test_model name weight base_url other models group groups tag"),
  ...rules("obeyed", "model_mapping status_code_mapping priority auto_ban setting param_override max_input_tokens"),
  ...rules("obeyed", "header_override settings remark costs"),
  // A channel's keys are added and changed one by one, at /api/channel/{id}/keys.
  ...rules("refused", "key_mode multi_key_mode batch_add_set_key_prefix_2_name"),
  // Of one-hub (model/channel.go there).
  ...rules("refused", "only_chat pre_cost model_headers custom_parameter plugin disabled_stream compatible_response"),
  ...rules("ignored", "created_time test_time response_time balance balance_updated_time used_quota other_info"),
  ...rules("ignored", "channel_info"),
};

/** Columns of users (model/user.go there). What a change leaves alone, it leaves alone in the whole family. */
const NEW_USER: FieldTable = {
  ...rules("obeyed", "username password display_name role"),
  ...rules("refused", "quota group email status inviter_id"),
  ...rules("ignored", "id used_quota request_count aff_code aff_count aff_quota aff_history_quota DeletedAt setting"),
};

const USER: FieldTable = {
  ...rules("obeyed", "id username password display_name group quota remark"),
  ...rules("ignored", "role status email github_id discord_id oidc_id wechat_id telegram_id linux_do_id"),
  ...rules("ignored", "used_quota request_count aff_code aff_count aff_quota aff_history_quota inviter_id DeletedAt"),
  ...rules("ignored", "setting created_at last_login_at verification_code original_password access_token"),
  ...rules("refused", "admin_permissions"),
};

/** Columns of tokens (model/token.go there), and those of one-api and one-hub that narrow what a token may do. */
const TOKEN: FieldTable = {
  ...rules(
    "obeyed",
    "name remain_quota expired_time unlimited_quota model_limits_enabled model_limits allow_ips group",
  ),
  ...rules("obeyed", "cross_group_retry auto_groups"),
  ...rules("refused", "models subnet backup_group setting"),
  ...rules("ignored", "user_id key status created_time accessed_time used_quota DeletedAt username"),
};

/** Columns of redemption codes (model/redemption.go there). */
const REDEMPTION: FieldTable = {
  ...rules("obeyed", "name quota expired_time"),
  ...rules("ignored", "user_id key status created_time redeemed_time used_user_id username DeletedAt"),
};

/** What users set for themselves (dto/user_settings.go there). */
const USER_SETTING: FieldTable = {
  ...rules("obeyed", "notify_type quota_warning_threshold webhook_url webhook_secret notification_email"),
  ...rules("obeyed", "accept_unset_model_ratio_model"),
  ...rules("obeyed", "bark_url gotify_url gotify_token gotify_priority sidebar_modules record_ip_log"),
  ...rules("refused", "upstream_model_update_notify_enabled"),
};

/** The table of each write that takes whole objects of the family, by the name of its endpoint. */
export const FAMILY_FIELDS: Readonly<Record<string, FieldTable>> = {
  "channels.createChannel": CHANNEL,
  "channels.updateChannel": CHANNEL,
  "channels.testChannelDraft": CHANNEL,
  "channels.updateTag": {
    ...rules("obeyed", "tag new_tag model_mapping models groups priority weight param_override"),
    // Values are secrets, which are kept by channel.
    ...rules("refused", "header_override"),
  },
  "tokens.createToken": TOKEN,
  "tokens.updateToken": TOKEN,
  "users.createUser": NEW_USER,
  "users.updateUser": USER,
  "redemptions.createRedemptions": { ...REDEMPTION, ...rules("obeyed", "count") },
  "redemptions.updateRedemption": REDEMPTION,
  "personal.updateSetting": USER_SETTING,
};

/** Values of a field that say what would be so without it. */
const DEFAULTS: Readonly<Record<string, readonly unknown[]>> = {
  group: ["default"],
  status: [1],
  multi_key_mode: ["random"],
};

/** Whether a value says nothing: absent, blank, off, or an empty JSON object as text. */
function isBlank(name: string, value: unknown): boolean {
  if (value === null || value === undefined || value === false || value === 0) return true;
  if (typeof value === "string")
    return ["", "{}", "[]", "null"].includes(value.trim()) || isDefault(name, value.trim());
  if (typeof value === "object") return Object.keys(value).length === 0;
  return isDefault(name, value);
}

const isDefault = (name: string, value: unknown): boolean => (DEFAULTS[name] ?? []).includes(value);

/** Names of an answer's list, and characters of each: what a caller sends is not sent back without bounds. */
const LISTED_MAX = 50;
const LISTED_LENGTH = 64;

/** What becomes of the fields of a body that its schema does not know. */
export interface UnknownFields {
  /** The first field whose value would change what happens elsewhere; undefined where there is none. */
  refused: string | undefined;
  /** The ignored fields, as the answer lists them: at most 50, each at most 64 characters. */
  ignored: readonly string[];
}

/**
 * Judges the fields of a body that its schema does not know. An `obeyed` one that the schema lacks is refused as well.
 * @param endpointName `<feature>.<endpoint>`
 * @param known the names that the schema knows
 */
export function judgeUnknown(endpointName: string, body: object, known: ReadonlySet<string>): UnknownFields {
  const table = FAMILY_FIELDS[endpointName] ?? {};
  const unknown = Object.entries(body).filter(([name]) => !known.has(name));
  const isRefused = ([name, value]: readonly [string, unknown]): boolean => {
    const rule = Object.hasOwn(table, name) ? table[name] : "ignored";
    return rule !== "ignored" && !isBlank(name, value);
  };
  const dropped = unknown.filter((field) => !isRefused(field));
  return {
    refused: unknown.find(isRefused)?.[0],
    ignored: dropped.slice(0, LISTED_MAX).map(([name]) => [...name].slice(0, LISTED_LENGTH).join("")),
  };
}

/**
 * Names at the top of what the schema takes.
 * @returns undefined where it takes any name, or something that is no object
 */
export function knownFields(schema: z.ZodType): ReadonlySet<string> | undefined {
  if (schema instanceof z.ZodUnion) {
    const variants = schema.options.map((option) => knownFields(option as z.ZodType));
    return variants.some((names) => names === undefined)
      ? undefined
      : new Set(variants.flatMap((names) => [...(names ?? [])]));
  }
  if (schema instanceof z.ZodPipe) return knownFields(schema.in as z.ZodType);
  if (!(schema instanceof z.ZodObject)) return undefined;
  const isOpen = schema.def.catchall !== undefined && !(schema.def.catchall instanceof z.ZodNever);
  return isOpen ? undefined : new Set(Object.keys(schema.shape));
}
