/** Rules of tokens, pure: what a token may be, its status as it is read, and how a wish becomes columns and a ledger entry. */
import { randomInt } from "node:crypto";
import { AppError } from "../../../../contract/src/errors.ts";
import { AUTO_GROUP } from "../../../../contract/src/features/groups.ts";
import type {
  ParsedTokenBatch,
  TokenBatchResult,
  TokenRow,
  TokenUpdate,
} from "../../../../contract/src/features/tokens.ts";
import {
  firstBadAddress,
  NEVER_EXPIRES,
  TOKEN_BATCH_MAX,
  TOKEN_NAME_MAX,
  TOKEN_STATUS,
} from "../../../../contract/src/features/tokens.ts";
import { splitList } from "../../../../contract/src/query.ts";
import { firstCodePoints } from "../../util/text.ts";
import type { StoredToken, TokenPatch } from "./store.ts";

/** Most quota a token may be given: far above any sum of money, far below the last safe integer, so that sums stay exact. */
const TOKEN_QUOTA_MAX = 1_000_000_000_000_000;

type TokenStatusInfo = Pick<StoredToken, "status" | "expired_time" | "remain_quota" | "unlimited_quota">;

/** Status 1 to 4 as people see it: 3 and 4 follow from the clock (Unix seconds) and the quota, whether the sweeper has been or not. */
export function statusOf(token: TokenStatusInfo, now: number): number {
  if (token.status === TOKEN_STATUS.disabled) return TOKEN_STATUS.disabled;
  if (token.expired_time !== NEVER_EXPIRES && token.expired_time <= now) return TOKEN_STATUS.expired;
  if (token.unlimited_quota === 0 && token.remain_quota <= 0) return TOKEN_STATUS.exhausted;
  return token.status;
}

/** Throws token_expired or token_exhausted where enabling this token would change nothing. */
export function assertUsable(token: TokenStatusInfo, now: number): void {
  const status = statusOf({ ...token, status: TOKEN_STATUS.enabled }, now);
  if (status === TOKEN_STATUS.expired) throw new AppError("token_expired", { field: "expired_time" });
  if (status === TOKEN_STATUS.exhausted) throw new AppError("token_exhausted", { field: "remain_quota" });
}

/** The trimmed name. Length counts characters, not bytes. */
export function checkName(name: string | undefined): string {
  const trimmed = (name ?? "").trim();
  if (trimmed === "") throw new AppError("token_name_missing", { field: "name" });
  if ([...trimmed].length > TOKEN_NAME_MAX) {
    const message = `The token name is too long: at most ${TOKEN_NAME_MAX} characters`;
    throw new AppError("token_name_long", { message, field: "name" });
  }
  return trimmed;
}

/** An expiry time that lies in the future (Unix seconds) or -1. Clients of this API family send 0 for 'never' on creation. */
export function checkExpiry(expiredTime: number | undefined, now: number): number {
  if (expiredTime === undefined || expiredTime === 0) return NEVER_EXPIRES;
  if (expiredTime === NEVER_EXPIRES) return expiredTime;
  const isMoment = Number.isSafeInteger(expiredTime) && expiredTime > now;
  if (!isMoment) throw new AppError("token_expiry_invalid", { field: "expired_time" });
  return expiredTime;
}

/** A whole number from 0 up to TOKEN_QUOTA_MAX. */
export function checkQuota(quota: number | undefined): number {
  const value = quota ?? 0;
  const isFine = Number.isSafeInteger(value) && value >= 0 && value <= TOKEN_QUOTA_MAX;
  if (!isFine) throw new AppError("token_quota_invalid", { field: "remain_quota" });
  return value;
}

/** Throws token_list_long for more than `max` entries, unless the list had as many before: one from before the bound may become shorter. */
function checkLength(entries: readonly string[], field: string, max: number, before = ""): void {
  if (entries.length <= Math.max(max, splitList(before).length)) return;
  const message = `The list has ${entries.length} entries; at most ${max} are allowed`;
  throw new AppError("token_list_long", { message, field, values: { max } });
}

/** Model names joined by commas. `before` is the list as it stands. Throws token_list_long. */
export function checkModels(modelLimits: string | undefined, max: number, before?: string): string {
  const names = splitList(modelLimits ?? "");
  checkLength(names, "model_limits", max, before);
  return names.join(",");
}

/**
 * One address or CIDR range a line, blank lines dropped; a bad line is refused by its number. `before` is the list as it stands.
 * Throws token_address_invalid or token_list_long.
 */
export function checkAddresses(allowIps: string | null | undefined, max: number, before?: string): string {
  // Before each line is looked at.
  const lines = splitList(allowIps ?? "");
  checkLength(lines, "allow_ips", max, before);
  const bad = firstBadAddress(allowIps ?? "");
  if (bad !== undefined) {
    const message = `Line ${bad.line} of the IP list is neither an address nor a CIDR range: ${bad.text.slice(0, 60)}`;
    throw new AppError("token_address_invalid", { message, field: "allow_ips" });
  }
  return lines.join("\n");
}

/** How many tokens to make. */
export function checkCount(count: number | undefined): number {
  const value = count ?? 1;
  const isFine = Number.isInteger(value) && value >= 1 && value <= TOKEN_BATCH_MAX;
  if (!isFine) throw new AppError("token_count_invalid", { field: "count" });
  return value;
}

/** A group the user may use, blank for their own, or `auto`, which leads only to such groups. */
export function checkGroup(group: string | undefined, usable: ReadonlyMap<string, string>): string {
  const name = (group ?? "").trim();
  if (name !== "" && name !== AUTO_GROUP && !usable.has(name)) throw new AppError("group_unusable", { field: "group" });
  return name;
}

/** A token's own list of groups, as it is stored. Throws group_unusable or group_twice, naming the field. */
export function checkAutoGroups(groups: readonly string[] | undefined, usable: ReadonlyMap<string, string>): string {
  const names = (groups ?? []).map((name) => name.trim());
  const unusable = names.find((name) => name === AUTO_GROUP || !usable.has(name));
  if (unusable !== undefined) {
    const message = `You cannot use the group ${unusable}`;
    throw new AppError("group_unusable", { message, field: "auto_groups" });
  }
  if (new Set(names).size < names.length) throw new AppError("group_twice", { field: "auto_groups" });
  return JSON.stringify(names);
}

/** The stored list. */
const autoGroupsOf = ({ auto_groups: text }: Pick<StoredToken, "auto_groups">): string[] =>
  (JSON.parse(text) as unknown[]).filter((name) => typeof name === "string");

const SUFFIX_ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789";
const SUFFIX_LENGTH = 6;

/** Names of a batch: the first as given, the others with a random suffix; a long name is cut to make room. */
export function batchNames(name: string, count: number): string[] {
  const suffix = () =>
    Array.from({ length: SUFFIX_LENGTH }, () => SUFFIX_ALPHABET.charAt(randomInt(SUFFIX_ALPHABET.length))).join("");
  const room = firstCodePoints(name, TOKEN_NAME_MAX - SUFFIX_LENGTH - 1);
  return Array.from({ length: count }, (_, index) => (index === 0 ? name : `${room}-${suffix()}`));
}

/** What an act on many tokens does with this one: `done` changes it. */
export function batchChange(
  action: ParsedTokenBatch["action"],
  row: TokenStatusInfo,
  now: number,
): keyof TokenBatchResult {
  if (action === "delete") return "done";
  if (action === "disable") return row.status === TOKEN_STATUS.disabled ? "unchanged" : "done";
  const isUsable = statusOf({ ...row, status: TOKEN_STATUS.enabled }, now) === TOKEN_STATUS.enabled;
  if (!isUsable) return "refused";
  return row.status === TOKEN_STATUS.enabled ? "unchanged" : "done";
}

interface PatchRules {
  now: number;
  usable: ReadonlyMap<string, string>;
  /** Entries of a list. */
  maxEntries: number;
}

/**
 * Columns that a sent update changes. What is sent as it already stands is not checked again: an editor sends whole rows, and an
 * expired token must still be renamable.
 */
export function patchOf(sent: TokenUpdate, row: StoredToken, rules: PatchRules): TokenPatch {
  const patch: TokenPatch = {};
  if (sent.name !== undefined && sent.name !== row.name) patch.name = checkName(sent.name);
  if (sent.expired_time !== undefined && sent.expired_time !== row.expired_time) {
    patch.expired_time = checkExpiry(sent.expired_time, rules.now);
  }
  if (sent.unlimited_quota !== undefined) patch.unlimited_quota = sent.unlimited_quota ? 1 : 0;
  if (sent.model_limits_enabled !== undefined) patch.model_limits_enabled = sent.model_limits_enabled ? 1 : 0;
  const { maxEntries } = rules;
  if (sent.model_limits !== undefined && sent.model_limits !== row.model_limits)
    patch.model_limits = checkModels(sent.model_limits, maxEntries, row.model_limits);
  if (sent.allow_ips !== undefined && sent.allow_ips !== row.allow_ips)
    patch.allow_ips = checkAddresses(sent.allow_ips, maxEntries, row.allow_ips);
  if (sent.group !== undefined && sent.group !== row.group_name)
    patch.group_name = checkGroup(sent.group, rules.usable);
  // An editor sends the whole row back: what it does not change is not judged again.
  if (sent.auto_groups !== undefined && JSON.stringify(sent.auto_groups) !== row.auto_groups)
    patch.auto_groups = checkAutoGroups(sent.auto_groups, rules.usable);
  if (sent.cross_group_retry !== undefined) patch.cross_group_retry = sent.cross_group_retry ? 1 : 0;
  return patch;
}

/**
 * Signed change of the remaining quota. A number typed into the editor means a difference to what the editor showed, so calls
 * billed meanwhile keep their effect; without `remain_quota_seen` it is the difference to the row as it stands.
 */
export function quotaDelta(sent: TokenUpdate, row: Pick<StoredToken, "remain_quota">): number {
  const delta = wantedDelta(sent, row.remain_quota);
  const isFine = Number.isSafeInteger(delta) && Math.abs(row.remain_quota + delta) <= TOKEN_QUOTA_MAX;
  if (!isFine) throw new AppError("token_quota_invalid", { field: "remain_quota" });
  return delta;
}

function wantedDelta(sent: TokenUpdate, stored: number): number {
  if (sent.remain_quota_delta !== undefined) return sent.remain_quota_delta;
  // An exhausted token may stand below 0; an editor that sends the whole row sends that back unchanged.
  if (sent.remain_quota === undefined || sent.remain_quota === (sent.remain_quota_seen ?? stored)) return 0;
  return checkQuota(sent.remain_quota) - (sent.remain_quota_seen ?? stored);
}

/** The status to store with an update: a wish for 1 or 2, or back to 1 where what made it expired or exhausted is gone. */
export function statusAfter(wanted: number | undefined, row: TokenStatusInfo, now: number): number | undefined {
  if (wanted === TOKEN_STATUS.disabled) return TOKEN_STATUS.disabled;
  if (wanted === TOKEN_STATUS.enabled && row.status === TOKEN_STATUS.disabled) {
    assertUsable(row, now);
    return TOKEN_STATUS.enabled;
  }
  const wasSwept = row.status === TOKEN_STATUS.expired || row.status === TOKEN_STATUS.exhausted;
  const isUsable = statusOf({ ...row, status: TOKEN_STATUS.enabled }, now) === TOKEN_STATUS.enabled;
  if (wanted === TOKEN_STATUS.enabled && wasSwept) assertUsable(row, now);
  return wasSwept && isUsable ? TOKEN_STATUS.enabled : undefined;
}

/** A row as its owner gets it; `key` in clear. */
export function tokenView(row: StoredToken, key: string, now: number): TokenRow {
  return {
    id: row.id,
    user_id: row.user_id,
    key,
    status: statusOf(row, now),
    name: row.name,
    created_time: row.created_time,
    accessed_time: row.accessed_time,
    expired_time: row.expired_time,
    remain_quota: row.remain_quota,
    used_quota: row.used_quota,
    unlimited_quota: row.unlimited_quota === 1,
    model_limits_enabled: row.model_limits_enabled === 1,
    model_limits: row.model_limits,
    allow_ips: row.allow_ips,
    group: row.group_name,
    auto_groups: autoGroupsOf(row),
    cross_group_retry: row.cross_group_retry === 1,
  };
}
