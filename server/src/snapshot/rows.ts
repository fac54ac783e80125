/** Maps stored rows to the relay's form: read in pages, with texts split and parsed once when a row changes, not once a call. */
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import type { Selectable } from "kysely";
import { z } from "zod";
import { HeaderOverrideError, readHeaderOverride } from "../../../contract/src/channels/header-override.ts";
import { readChannelCosts } from "../../../contract/src/channels/costs.ts";
import { NO_COSTS } from "../../../contract/src/pricing/upstream-cost.ts";
import type { ChannelTable, TokenTable, UserTable } from "../db/schema.ts";
import { parseJson } from "../util/json-read.ts";
import { channelSettingOf } from "./channel-setting.ts";
import type { SnapshotChannel, SnapshotToken, SnapshotUser } from "./snapshot.ts";

/** An entry as bytes: the address as IPv6, and the number of bits that count. */
const ENTRY_BYTES = 17;

interface Range {
  /** 16 bytes; an IPv4 address in its IPv4-mapped form. */
  address: readonly number[];
  bits: number;
}

/** Parses one address or range. An IPv4 address equals its IPv4-mapped form. Undefined if invalid. */
function parseRange(text: string): Range | undefined {
  const [address = "", bitsText, ...rest] = text.split("/");
  if (isIP(address) === 0 || rest.length > 0 || address.includes("%")) return undefined;
  const parsed = ipaddr.parse(address);
  const width = parsed.kind() === "ipv4" ? 32 : 128;
  if (bitsText !== undefined && !/^\d{1,3}$/.test(bitsText)) return undefined;
  const bits = bitsText === undefined ? width : Number(bitsText);
  if (bits > width) return undefined;
  if (parsed instanceof ipaddr.IPv6) return { address: parsed.toByteArray(), bits };
  return { address: (parsed as ipaddr.IPv4).toIPv4MappedAddress().toByteArray(), bits: bits + 96 };
}

/** Whether the first `bits` of an address equal those at `from`. */
function isInside({ address }: Range, list: Uint8Array, from: number): boolean {
  const bits = list[from + ENTRY_BYTES - 1] ?? 0;
  const whole = bits >> 3;
  for (let index = 0; index < whole; index += 1) {
    if (address[index] !== list[from + index]) return false;
  }
  const mask = 0xff & (0xff00 >> (bits & 7));
  return (((address[whole] ?? 0) ^ (list[from + whole] ?? 0)) & mask) === 0;
}

/**
 * Creates the test of a list with one entry per line (commas and blanks also separate). Undefined for a list without entries.
 * Unreadable entries admit no address, so a list of only such entries admits none at all: a typing error must not open a token.
 */
export function parseAddressList(text: string): ((address: string) => boolean) | undefined {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== "");
  if (entries.length === 0) return undefined;
  // Node's BlockList uses half a kilobyte for each entry, and a thousand tokens may have lists of hundreds.
  const ranges = entries.map(parseRange).filter((range) => range !== undefined);
  const list = Uint8Array.from(ranges.flatMap(({ address, bits }) => [...address, bits]));
  return (address) => {
    const range = parseRange(address.split("%")[0] ?? "");
    if (range === undefined || address.includes("/")) return false;
    for (let from = 0; from < list.length; from += ENTRY_BYTES) if (isInside(range, list, from)) return true;
    return false;
  };
}

/** Rows of one page. */
const PAGE_ROWS = 5_000;

type Fetch<Row> = (afterId: number, limit: number) => Promise<Row[]>;

/** All rows that `fetch` finds, in pages by id. */
export async function forEachPage<Row extends { id: number }>(
  fetch: Fetch<Row>,
  apply: (rows: readonly Row[]) => void,
  pageRows = PAGE_ROWS,
): Promise<void> {
  for (let afterId = 0; ;) {
    const rows = await fetch(afterId, pageRows);
    apply(rows);
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageRows) return;
    afterId = last.id;
  }
}

/** The columns that are read, without the wide ones (password hash, cipher text). */
export const USER_COLUMNS = [
  "id",
  "username",
  "display_name",
  "role",
  "permissions",
  "status",
  "group_name",
  "email",
  "setting",
  "deleted_at",
] as const;
export const TOKEN_COLUMNS = [
  "id",
  "user_id",
  "name",
  "key_hash",
  "key_unknown",
  "status",
  "expired_time",
  "unlimited_quota",
  "model_limits_enabled",
  "model_limits",
  "allow_ips",
  "group_name",
  "auto_groups",
  "cross_group_retry",
  "key_first",
  "key_last",
  "deleted_at",
] as const;

export type UserRow = Pick<Selectable<UserTable>, (typeof USER_COLUMNS)[number]>;
export type TokenRow = Pick<Selectable<TokenTable>, (typeof TOKEN_COLUMNS)[number]>;
export type ChannelRow = Selectable<ChannelTable>;

/** Entries of a comma-joined column. */
const splitList = (text: string): string[] =>
  text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");

/** A JSON column parsed by its schema; invalid text (of an older version or edited by hand) gives the empty value. */
function parseColumn<T>(text: string, schema: z.ZodType<T>, empty: T): T {
  const value = parseJson(text);
  const result = value === undefined ? undefined : schema.safeParse(value);
  return result?.success === true ? result.data : empty;
}

const userSettingSchema = z.object({
  accept_unset_model_ratio_model: z.boolean().catch(false).default(false),
  record_ip_log: z.boolean().catch(true).default(true),
});
const NO_SETTING = userSettingSchema.parse({});
const textMapSchema = z.record(z.string(), z.string());
/** Responses of these statuses have no body, and one below 200 is not final: a client would wait for the error forever. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);
const toStatus = z.coerce
  .number()
  .int()
  .min(200)
  .max(599)
  .refine((status) => !BODILESS.has(status));
const statusMapSchema = z
  .record(z.string().regex(/^\d{3}$/), toStatus.optional().catch(undefined))
  .transform((map): Record<string, number> =>
    Object.fromEntries(Object.entries(map).flatMap(([from, to]) => (to === undefined ? [] : [[from, to]]))),
  );
const objectSchema = z.record(z.string(), z.unknown());
export function toUser(row: UserRow): SnapshotUser {
  const setting = parseColumn(row.setting, userSettingSchema, NO_SETTING);
  return {
    id: row.id,
    username: row.username,
    displayName: row.display_name,
    role: row.role,
    permissions: row.permissions,
    status: row.status,
    groupName: row.group_name,
    email: row.email ?? "",
    acceptsUnpricedModels: setting.accept_unset_model_ratio_model,
    keepsClientAddresses: setting.record_ip_log,
    isDeleted: row.deleted_at !== null,
  };
}

/** Builds the lists of tokens from their columns, so that equal ones can be shared. */
export interface TokenLists {
  models(text: string): SnapshotToken["modelLimits"];
  addresses(text: string): SnapshotToken["isAddressAllowed"];
}

export const TOKEN_LISTS: TokenLists = Object.freeze({
  models: (text: string) => new Set(splitList(text)),
  addresses: parseAddressList,
});

const groupListSchema = z.array(z.string());
const NO_GROUPS: readonly string[] = Object.freeze([]);

export function toToken(row: TokenRow, lists: TokenLists): SnapshotToken {
  return {
    id: row.id,
    userId: row.user_id,
    name: row.name,
    status: row.status,
    expiredTime: row.expired_time,
    isUnlimited: row.unlimited_quota === 1,
    modelLimits: row.model_limits_enabled === 1 ? lists.models(row.model_limits) : undefined,
    isAddressAllowed: lists.addresses(row.allow_ips),
    groupName: row.group_name,
    autoGroups: row.auto_groups === "[]" ? NO_GROUPS : parseColumn(row.auto_groups, groupListSchema, []),
    retriesAcrossGroups: row.cross_group_retry === 1,
    isKeyUnknown: row.key_unknown === 1,
    keyFirst: row.key_first,
    keyLast: row.key_last,
  };
}

/** The rules of a decrypted header override; a text that this version cannot read has none. */
function headersOf(text: string | null): Pick<SnapshotChannel, "headers"> {
  if (text === null || text === "") return {};
  try {
    return { headers: readHeaderOverride(text) };
  } catch (error) {
    if (error instanceof HeaderOverrideError) return {};
    throw error;
  }
}

/** Unreadable values (of another version or edited by hand) count as absent. */
function costsOf(text: string | null): SnapshotChannel["costs"] {
  if (text === null || text.trim() === "") return NO_COSTS;
  try {
    return readChannelCosts(text);
  } catch {
    return NO_COSTS;
  }
}

/** `key`, the credentials of the proxy in `row.setting` and `row.header_override` are decrypted. */
export function toChannel(row: ChannelRow, key: string): SnapshotChannel {
  return {
    id: row.id,
    type: row.type,
    name: row.name,
    key,
    status: row.status,
    baseUrl: row.base_url,
    other: row.other,
    models: new Set(splitList(row.models)),
    groupNames: splitList(row.group_names),
    modelMapping: parseColumn(row.model_mapping, textMapSchema, {}),
    statusCodeMapping: parseColumn(row.status_code_mapping, statusMapSchema, {}),
    paramOverride: parseColumn(row.param_override, objectSchema, {}),
    setting: channelSettingOf(row.setting, row.settings),
    openaiOrganization: row.openai_organization,
    testModel: row.test_model,
    tag: row.tag,
    priority: row.priority,
    weight: row.weight,
    maxInputTokens: row.max_input_tokens ?? 0,
    autoBan: row.auto_ban === 1,
    costs: costsOf(row.costs),
    ...headersOf(row.header_override),
  };
}
