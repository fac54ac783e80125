/** Channels in configuration files: described from row or file, their differences, and the form that is sent. */
import type { ChannelCreate, ChannelUpdate } from "../../../../contract/src/channels/channel-form.ts";
import { hasHiddenValues, shownHeaderOverride } from "../../../../contract/src/channels/header-override.ts";
import type { ResolvedChannel, ResolvedSecret } from "../../../../contract/src/configuration/document.ts";
import type { PlanChange } from "../../../../contract/src/configuration/plan.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import { CHANNEL_STATUS } from "../../../../contract/src/features/channels.ts";
import { splitList } from "../../../../contract/src/query.ts";
import { meantByProxy, proxyIn, shownProxy } from "../../db/proxy-login.ts";
import { openHeaderOverride, type Secrets } from "../../db/secrets.ts";
import { objectOf, parseObject } from "../../util/json-read.ts";
import { headersForRow, settingForRow } from "../channels/moves.ts";
import { checkKeyText, newChannelOf, type StoredChannel } from "../channels/rules.ts";
import type { ProviderInfo } from "../relay-tools.ts";
import { canonical } from "./values.ts";

const KEPT: ResolvedSecret = { from: "stored" };
/** Stands for a stored secret in the form of a channel. */
const HIDDEN = "***";

type NewChannel = ReturnType<typeof newChannelOf>;
/** The kind of a column's values, where a new row has one value alone. */
type Kind<Value> = Value extends number ? number : Value extends string ? string : Value;

/** A channel as it is stored. */
export interface StoredChannelWithKeys {
  row: StoredChannel;
  /** Look-up hashes of all its keys. */
  keyHashes: readonly string[];
}

/** The part of a row that is read, stored or about to be. */
export interface DescribedChannel {
  row: { [Column in keyof NewChannel]: Kind<NewChannel[Column]> };
  keyHashes: readonly string[];
}

type Providers = readonly ProviderInfo[];

/** The slug of a type where it is one type's alone, else its number. */
function typeName(providers: Providers, type: number): string | number {
  const slug = providers.find(({ manifest }) => manifest.id === type)?.manifest.slug;
  const sharing = providers.filter(({ manifest }) => manifest.slug === slug);
  return slug === undefined || sharing.length !== 1 ? type : slug;
}

/** The number of a type that the file names. Throws AppError channel_invalid. */
function typeNumber(providers: Providers, type: string | number): number {
  const found = providers.filter(({ manifest }) => manifest.slug === type || manifest.id === type);
  const [only] = found;
  if (found.length === 1 && only !== undefined) return only.manifest.id;
  const message =
    found.length === 0
      ? `There is no channel type ${type}`
      : `Several types are called ${type}: name one by its number`;
  throw new AppError("channel_invalid", { field: "type", message });
}

/** Everything but the key, in the words of the file; `secrets` of headers and of the proxy's address as they are kept. */
export function channelOfRow(
  { row }: DescribedChannel,
  secrets: Secrets,
  providers: Providers,
): Omit<ResolvedChannel, "key" | "key_choice"> {
  const { proxy, ...setting } = objectOf(parseObject(row.setting));
  const headers = openHeaderOverride(secrets, row.header_override);
  const shown = objectOf(parseObject(shownHeaderOverride(headers)));
  const hidden = hasHiddenValues(headers) ? Object.entries(shown).filter(([, value]) => value === HIDDEN) : [];
  const hasLogin = typeof proxy === "string" && proxy.includes("@");
  return {
    name: row.name,
    type: typeName(providers, row.type),
    enabled: row.status !== CHANNEL_STATUS.disabled,
    base_url: row.base_url,
    other: row.other,
    openai_organization: row.openai_organization,
    models: splitList(row.models),
    groups: splitList(row.group_names),
    model_mapping: objectOf(parseObject(row.model_mapping)) as Record<string, string>,
    status_code_mapping: { ...objectOf(parseObject(row.status_code_mapping)) },
    param_override: { ...objectOf(parseObject(row.param_override)) },
    setting: {
      ...setting,
      ...(typeof proxy === "string" && proxy !== "" ? { proxy: hasLogin ? KEPT : proxy } : {}),
    } as ResolvedChannel["setting"],
    settings: objectOf(parseObject(row.settings ?? "")) as ResolvedChannel["settings"],
    header_override: {
      ...(shown as Record<string, string>),
      ...Object.fromEntries(hidden.map(([name]) => [name, KEPT])),
    },
    costs: { ...objectOf(parseObject(row.costs ?? "")) },
    remark: row.remark,
    test_model: row.test_model,
    tag: row.tag,
    priority: row.priority,
    weight: row.weight,
    auto_ban: row.auto_ban === 1,
    max_input_tokens: row.max_input_tokens,
  };
}

const SECRET_FIELDS = ["key", "header_override", "proxy"] as const;
const isSecretField = (field: string): boolean => (SECRET_FIELDS as readonly string[]).includes(field);

/** Fields in comparable form: secrets as keyed hashes. */
type Meanings = ReadonlyMap<string, string>;

const plainHash = (secrets: Secrets, text: string): string => secrets.hash("configuration", text);

/** Headers by their names in small letters, which is how they are stored apart. */
function headerMeaning(secrets: Secrets, headers: object): string {
  const named = Object.entries(headers).map(([name, value]) => [name.trim().toLowerCase(), value] as const);
  return named.length === 0 ? "" : plainHash(secrets, canonical(Object.fromEntries(named)));
}

function proxyMeaning(secrets: Secrets, setting: string): string {
  const proxy = proxyIn(setting);
  return proxy === "" ? "" : plainHash(secrets, meantByProxy(secrets, proxy));
}

/** The meanings of a stored channel. */
export function meaningsOfRow(stored: DescribedChannel, secrets: Secrets, providers: Providers): Meanings {
  const { setting, header_override: _headers, type: _type, ...plain } = channelOfRow(stored, secrets, providers);
  const { proxy: _proxy, ...rest } = setting;
  const headers = objectOf(parseObject(openHeaderOverride(secrets, stored.row.header_override)));
  const fields: [string, unknown][] = [...Object.entries(plain), ["type", stored.row.type], ["setting", rest]];
  return new Map([
    ...fields.map(([name, value]) => [name, canonical(value)] as const),
    ["proxy", proxyMeaning(secrets, stored.row.setting)],
    ["header_override", headerMeaning(secrets, headers)],
    ["key", canonical(stored.keyHashes.toSorted())],
  ]);
}

const isKept = (value: unknown): boolean => typeof value === "object" && value !== null && "from" in value;
const textOfSecret = (value: string | ResolvedSecret): string =>
  typeof value === "string" ? value : "secret" in value ? value.secret : HIDDEN;

const notStored = (field: string): AppError =>
  new AppError("channel_invalid", { field, message: 'No secret is stored that {"from": "stored"} could keep' });

/** A channel of the file, ready to be compared and sent. */
export interface WantedChannel {
  meanings: Meanings;
  /** Undefined where the stored key stays. */
  key: string | undefined;
  form: ChannelCreate;
  isEnabled: boolean;
}

const jsonText = (value: object): string => (Object.keys(value).length === 0 ? "" : JSON.stringify(value));

/** The proxy as the form sends it: a kept one as it is shown. */
function sentProxy(sent: ResolvedChannel["setting"]["proxy"], stored: string): { proxy?: string } {
  if (sent === undefined || sent === "") return {};
  if (!isKept(sent)) return { proxy: textOfSecret(sent) };
  const before = proxyIn(stored);
  if (before === "") throw notStored("setting.proxy");
  return { proxy: shownProxy(before) };
}

function formOf(sent: ResolvedChannel, type: number, key: string | undefined, storedSetting: string): ChannelCreate {
  const { key: _key, key_choice, enabled: _enabled, setting, header_override, ...plain } = sent;
  const { proxy, ...rest } = setting;
  const headers = Object.entries(header_override).map(([name, value]) => [name, textOfSecret(value)] as const);
  return {
    ...plain,
    type,
    models: plain.models.join(","),
    model_mapping: jsonText(plain.model_mapping),
    status_code_mapping: jsonText(plain.status_code_mapping),
    param_override: jsonText(plain.param_override),
    settings: jsonText(plain.settings),
    costs: jsonText(plain.costs),
    setting: jsonText({ ...rest, ...sentProxy(proxy, storedSetting) }),
    header_override: jsonText(Object.fromEntries(headers)),
    keys_make: "one_channel",
    key_choice,
    ...(key === undefined ? {} : { key }),
  };
}

/** The wanted state of a channel by the file; `stored` is undefined for a new one. Throws AppError channel_invalid, naming the field. */
export function wantedChannel(
  sent: ResolvedChannel,
  stored: StoredChannelWithKeys | undefined,
  secrets: Secrets,
  providers: Providers,
): WantedChannel {
  const key = isKept(sent.key) ? undefined : textOfSecret(sent.key);
  if (key === undefined && stored === undefined) throw notStored("key");
  const storedSetting = stored?.row.setting ?? "";
  const form = formOf(sent, typeNumber(providers, sent.type), key, storedSetting);
  const described = newChannelOf(form);
  const row = {
    ...described,
    status: sent.enabled ? CHANNEL_STATUS.enabled : CHANNEL_STATUS.disabled,
    setting: settingForRow(secrets, described.setting, storedSetting),
    header_override: headersForRow(secrets, described.header_override ?? "", stored?.row.header_override ?? null)
      .sealed,
  };
  const keyHashes =
    key === undefined ? (stored?.keyHashes ?? []) : keysOf(key).map((each) => secrets.hash("channel", each));
  return { meanings: meaningsOfRow({ row, keyHashes }, secrets, providers), key, form, isEnabled: sent.enabled };
}

const keysOf = (text: string): readonly string[] => checkKeyText(text).keys;

const cut = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text);

/** Meanings that a new channel's plan leaves out. */
const SAYS_NOTHING: ReadonlySet<string> = new Set(["", '""', "{}", "null", "0"]);

/** The fields in which two channels differ; of a new one all that are not blank. */
export function channelDifference(before: Meanings | undefined, after: Meanings): PlanChange[] {
  return [...after].flatMap(([field, to]): PlanChange[] => {
    const from = before?.get(field);
    if (from === to) return [];
    if (before === undefined && SAYS_NOTHING.has(to)) return [];
    if (isSecretField(field)) return [{ field }];
    return [{ field, ...(from === undefined ? {} : { from: cut(from) }), to: cut(to) }];
  });
}

/** The form that changes a stored channel to what is wanted: only what differs. */
export function updateOf(id: number, wanted: WantedChannel, changes: readonly PlanChange[]): ChannelUpdate {
  const changed = new Set(changes.map(({ field }) => (field === "proxy" ? "setting" : field)));
  // Where calls go to another place, key and headers go with them as they were entered again.
  const isMoved = changes.some(({ field }) => ["type", "base_url", "proxy"].includes(field));
  if (isMoved && !(wanted.form.header_override ?? "").includes(`"${HIDDEN}"`)) changed.add("header_override");
  const { key: _key, keys_make: _make, key_choice: _choice, ...form } = wanted.form;
  const fields = Object.fromEntries(Object.entries(form).filter(([name]) => changed.has(name)));
  const sendsKey = wanted.key !== undefined && (changed.has("key") || isMoved);
  return {
    ...fields,
    id,
    ...(sendsKey ? { key: wanted.key } : {}),
    ...(changed.has("enabled") ? { status: wanted.isEnabled ? CHANNEL_STATUS.enabled : CHANNEL_STATUS.disabled } : {}),
  };
}
