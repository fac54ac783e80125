/** Channels of another gateway: type, address, keys and settings as a channel here would be entered, each field by the rules of the form. */
import type { Insertable, Transaction } from "kysely";
import { CHANNEL_STATUS, CHANNEL_NAME_MAX } from "../../../contract/src/features/channels.ts";
import { CHANNEL_REQUEST_NAMES, CHANNEL_SETTING_NAMES } from "../../../contract/src/channels/channel-form.ts";
import { storedKeyChoice } from "../../../contract/src/channels/choices.ts";
import { AppError } from "../../../contract/src/errors.ts";
import type { ChannelCreate } from "../../../contract/src/channels/channel-form.ts";
import { splitList } from "../../../contract/src/query.ts";
import { rebuildAbilities } from "../console/channels/abilities.ts";
import { ONE_KEY, sealOneOfSeveral } from "../console/channels/keys/rows.ts";
import { headersForRow, settingForRow } from "../console/channels/moves.ts";
import { checkFields, checkKeyForms } from "../console/channels/provider-rules.ts";
import { newChannelOf, patchOf, refuseQuery } from "../console/channels/rules.ts";
import type { Schema } from "../db/schema.ts";
import { sealChannelKey } from "../db/secrets.ts";
import type { ProviderRegistry } from "../providers/registry.ts";
import { type JsonFields, parseObject, textOf } from "../util/json-read.ts";
import { flagIn, nameIn, numberIn, quotaIn, textIn } from "./cells.ts";
import { type KeysThere, keysOfRow } from "./channel-keys.ts";
import { typeHere } from "./channel-types.ts";
import type { Report } from "./report.ts";
import type { SourceRow } from "./source.ts";
import type { System } from "./systems.ts";
import { type MoneyRow, type Target, entryIdOf } from "./target.ts";

export interface ChannelContext {
  target: Target;
  report: Report;
  system: System;
  providers: ProviderRegistry;
}

type NewChannel = Omit<Insertable<Schema["channels"]>, "id" | "changed_version">;

const labelOf = (row: SourceRow): string => `#${numberIn(row, "id")} ${nameIn(row, "name", 60)}`;

/** Fields by the name that they have there and here. */
const SAME_FIELDS = [
  "model_mapping",
  "status_code_mapping",
  "param_override",
  "header_override",
  "test_model",
  "tag",
  "other",
] as const;

/** Settings of new-api's text `setting` that go under the same name, and of `settings`. */
const KNOWN = {
  setting: new Set<string>(CHANNEL_SETTING_NAMES),
  settings: new Set<string>(CHANNEL_REQUEST_NAMES),
} as const;

/** The fields of a JSON text that have a place here; the names of the others are listed. */
function knownSettings(row: SourceRow, column: "setting" | "settings", { report }: ChannelContext): JsonFields {
  const text = textIn(row, column).trim();
  const fields = text === "" ? {} : parseObject(text);
  if (fields === undefined) {
    report.add("channel_field_dropped", `${labelOf(row)}: ${column} is no JSON object`);
    return {};
  }
  const entries = Object.entries(fields).filter(([, value]) => value !== "" && value !== null && value !== false);
  const kept = entries.filter(([name]) => KNOWN[column].has(name));
  for (const [name] of entries)
    if (
      !KNOWN[column].has(name) &&
      !FOLLOWS_FROM_KEY.has(name) &&
      !(column === "settings" && name === "azure_responses_version")
    )
      report.add("channel_setting_dropped", `${labelOf(row)}: ${name}`);
  return Object.fromEntries(kept);
}

/** They say how the key is written, which is seen in it. */
const FOLLOWS_FROM_KEY: ReadonlySet<string> = new Set(["vertex_key_type", "aws_key_type"]);

const asText = (fields: JsonFields): string => (Object.keys(fields).length === 0 ? "" : JSON.stringify(fields));

/** `other` of one-api stands in `config` for some types. */
function otherOf(row: SourceRow): string {
  const config = parseObject(textIn(row, "config"));
  const [version, library, region, user] = ["api_version", "library_id", "region", "user_id"].map((name) =>
    textOf(config?.[name]),
  );
  return textIn(row, "other") || version || library || region || user || "";
}

/** The fields as the form would send them. */
function sentOf(row: SourceRow, context: ChannelContext): ChannelCreate {
  const setting = knownSettings(row, "setting", context);
  const prompt = textIn(row, "system_prompt").trim();
  const same = Object.fromEntries(SAME_FIELDS.map((name) => [name, textIn(row, name)]));
  return {
    ...same,
    other: otherOf(row),
    base_url: textIn(row, "base_url").trim(),
    setting: asText(prompt === "" ? setting : { system_prompt: prompt, ...setting }),
    settings: asText(knownSettings(row, "settings", context)),
    remark: textIn(row, "remark").slice(0, 255),
    openai_organization: textIn(row, "open_ai_organization"),
    priority: numberIn(row, "priority"),
    weight: Math.max(0, numberIn(row, "weight")),
    auto_ban: flagIn(row, "auto_ban") === false ? 0 : 1,
  };
}

/** Stands in while the other fields are checked: the form takes no channel without a model. */
const NO_MODEL = "-";

const modelsOf = (row: SourceRow): string[] => splitList(textIn(row, "models")).filter((model) => model.length <= 255);

/** Fields by the rules of the form; one that breaks them is left out and listed. */
function acceptedFields(row: SourceRow, context: ChannelContext) {
  const accepted = newChannelOf({
    name: nameIn(row, "name", CHANNEL_NAME_MAX) || `channel ${numberIn(row, "id")}`,
    models: modelsOf(row).join(",") || NO_MODEL,
    group: splitList(textIn(row, "group"))
      .filter((group) => group.length <= 64)
      .join(","),
  });
  if (accepted.models === NO_MODEL) accepted.models = "";
  let isWhole = accepted.models !== "";
  for (const [name, value] of Object.entries(sentOf(row, context))) {
    try {
      Object.assign(accepted, patchOf({ [name]: value }));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      context.report.add("channel_field_dropped", `${labelOf(row)}: ${name}: ${error.message}`);
      isWhole = false;
    }
  }
  return { accepted, isWhole };
}

/** Why a provider would refuse the channel; undefined where it takes it. */
function objectionOf(
  { providers }: ChannelContext,
  channel: { type: number; base_url: string; other: string; openai_organization: string },
  { keys, isBroken }: KeysThere,
): string | undefined {
  const manifest = providers.byType(channel.type)?.manifest;
  if (manifest === undefined || isBroken) return undefined;
  const { base_url, other, openai_organization } = channel;
  try {
    checkFields(manifest, { base_url, other, openai_organization });
    refuseQuery(manifest, base_url);
    checkKeyForms(
      manifest,
      keys.map(({ key }) => key),
    );
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

interface PlannedType {
  type: number;
  base_url: string;
  isKnown: boolean;
}

function typeOf(row: SourceRow, baseUrl: string, { system, providers, report }: ChannelContext): PlannedType {
  const there = numberIn(row, "type");
  const found = typeHere(system, there, (type) => providers.byType(type) !== undefined);
  if (found === undefined) {
    report.add("channel_type_unknown", `${labelOf(row)}: type ${there}`);
    return { type: 1, base_url: baseUrl, isKnown: false };
  }
  const base_url = baseUrl === "" ? (found.baseUrl ?? "") : baseUrl;
  if (found.needsAddress === true && base_url === "") {
    report.add("channel_without_address", `${labelOf(row)}: type ${there}`);
    return { type: found.type, base_url, isKnown: false };
  }
  if (found.type !== there || base_url !== baseUrl)
    report.add(
      "channel_type_changed",
      `${labelOf(row)}: ${there} is ${found.type}${base_url === baseUrl ? "" : ` at ${base_url}`}`,
    );
  return { type: found.type, base_url, isKnown: true };
}

const MICROS = 1_000_000;

/** Balance, times and results of tests. */
function historyOf(row: SourceRow) {
  const balance = Math.round(Number(textIn(row, "balance")) * MICROS);
  return {
    created_time: Math.max(0, numberIn(row, "created_time")),
    test_time: Math.max(0, numberIn(row, "test_time")),
    response_time_ms: Math.max(0, numberIn(row, "response_time")),
    balance_micros: Number.isSafeInteger(balance) ? balance : 0,
    balance_updated_time: Math.max(0, numberIn(row, "balance_updated_time")),
  };
}

/** The reason on the channel's page why it is off. */
const reasonText = (reason: string, now: number): string =>
  reason === "" ? "" : JSON.stringify({ status_reason: reason.slice(0, 300), status_time: now });

function statusOf(row: SourceRow, mustBeOff: boolean): number {
  const status = numberIn(row, "status");
  if (mustBeOff) return CHANNEL_STATUS.disabled;
  return status === CHANNEL_STATUS.enabled || status === CHANNEL_STATUS.autoDisabled ? status : CHANNEL_STATUS.disabled;
}

interface Sealed {
  columns: Pick<NewChannel, "key_hash" | "key_cipher" | "key_first" | "key_last" | "key_choice">;
  rows: readonly Omit<Insertable<Schema["channel_keys"]>, "channel_id">[];
}

function sealedKeys({ target }: ChannelContext, { keys, choice }: KeysThere): Sealed {
  const { secrets, now } = target;
  const first = sealChannelKey(secrets, keys[0]?.key ?? "");
  if (choice === "one") return { columns: { ...first, key_choice: ONE_KEY }, rows: [] };
  return {
    columns: { ...first, key_choice: storedKeyChoice(choice) },
    rows: keys.map(({ key, status, reason, time }) => ({
      ...sealOneOfSeveral(secrets, key).row,
      status,
      status_reason: reason,
      status_time: time,
      created_time: now,
    })),
  };
}

/** The opening entry of a channel. */
export function openingOfChannel(row: SourceRow, { target }: Pick<ChannelContext, "target">) {
  const sourceId = numberIn(row, "id");
  return (channelId: number) => ({
    entryId: entryIdOf(target.origin, "channels", sourceId),
    userId: 0,
    tokenId: 0,
    channelId,
    quota: 0,
    tokenQuota: 0,
    affQuota: 0,
    used: quotaIn(row, "used_quota"),
    requests: 0,
    detail: JSON.stringify({ reason: "import", source: target.origin, id: sourceId }),
  });
}

const NOT_SERVED = "its type has no provider here, or it has no address";

/** Plans one channel that is not here yet. Throws where an amount cannot be kept. */
export function planChannel(row: SourceRow, context: ChannelContext): MoneyRow<"channels"> {
  const { target, report } = context;
  const { accepted, isWhole } = acceptedFields(row, context);
  const { isKnown, ...place } = typeOf(row, accepted.base_url, context);
  const keys = keysOfRow(row, place.type);
  if (keys.duplicates > 0) report.add("channel_keys_twice", `${labelOf(row)}: ${keys.duplicates}`);
  if (keys.isBroken) report.add("channel_keys_broken", labelOf(row));
  const channel = { ...accepted, ...place };
  const objection = isKnown ? objectionOf(context, channel, keys) : NOT_SERVED;
  if (isKnown && objection !== undefined) report.add("channel_disabled", `${labelOf(row)}: ${objection}`);
  const otherwise = keys.isBroken ? "its keys cannot be read" : "the import left a field out, or it has no models";
  const reason = textIn(row, "left_reason") || (objection ?? (isWhole && !keys.isBroken ? "" : otherwise));
  const sealed = sealedKeys(context, keys);
  const status = statusOf(row, reason !== "");
  return {
    sourceId: numberIn(row, "id"),
    row: {
      ...channel,
      ...historyOf(row),
      ...sealed.columns,
      key_set_time: target.now,
      setting: settingForRow(target.secrets, channel.setting),
      header_override: headersForRow(target.secrets, channel.header_override ?? "", null).sealed,
      status,
      used_quota: 0,
      other_info: reason === "" ? "" : reasonText(reason, target.now),
    },
    opening: openingOfChannel(row, context),
    async alongside(transaction: Transaction<Schema>, id: number) {
      for (let from = 0; from < sealed.rows.length; from += 100)
        await transaction
          .insertInto("channel_keys")
          .values(sealed.rows.slice(from, from + 100).map((key) => ({ ...key, channel_id: id })))
          .execute();
      const { group_names, models, priority, weight, tag } = channel;
      await rebuildAbilities(transaction, [{ id, group_names, models, status, priority, weight, tag }]);
    },
  };
}
