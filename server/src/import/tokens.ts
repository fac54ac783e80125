/** Tokens of another gateway: their keys as they are, their limits, and what is left of them as openings of the ledger. */
import type { Insertable } from "kysely";
import { AUTO_GROUP } from "../../../contract/src/features/groups.ts";
import { NEVER_EXPIRES, TOKEN_STATUS, firstBadAddress } from "../../../contract/src/features/tokens.ts";
import { splitList } from "../../../contract/src/query.ts";
import type { Schema } from "../db/schema.ts";
import { sealHashedKey, type SealedKey, sealTokenKey } from "../db/secrets.ts";
import { parseJson } from "../util/json-read.ts";
import { flagIn, momentIn, nameIn, numberIn, quotaIn, textIn } from "./cells.ts";
import type { Report } from "./report.ts";
import type { SourceRow } from "./source.ts";
import { type MoneyRow, type Target, entryIdOf } from "./target.ts";

export interface TokenContext {
  target: Target;
  report: Report;
  /** Numbers here of users whose own number was taken, by their numbers there. */
  moved: ReadonlyMap<number, number>;
  groups: ReadonlySet<string>;
}

type NewToken = Omit<Insertable<Schema["tokens"]>, "id" | "changed_version">;

const SHORTEST_KEY = 16;

/** Neither name nor number is a secret. */
export const tokenLabel = (row: SourceRow): string => `#${numberIn(row, "id")} of user ${numberIn(row, "user_id")}`;

/** Addresses of new-api stand in lines, those of one-api behind commas; a token that only some may use must not open to all. */
function addressesOf(row: SourceRow, { report }: TokenContext): { allow_ips: string; isBad: boolean } {
  const lines = splitList(`${textIn(row, "allow_ips")}\n${textIn(row, "subnet")}`);
  const isBad = lines.some((line) => firstBadAddress(line) !== undefined);
  if (isBad) report.add("token_addresses_bad", tokenLabel(row));
  return { allow_ips: isBad ? "" : lines.join("\n"), isBad };
}

const STATUSES: ReadonlySet<number> = new Set(Object.values(TOKEN_STATUS));

function statusOf(row: SourceRow, { report }: TokenContext, mustBeOff: boolean): number {
  const status = numberIn(row, "status", 0);
  const isShort = textIn(row, "key").trim().length < SHORTEST_KEY;
  if (isShort) report.add("token_key_short", tokenLabel(row));
  if (!STATUSES.has(status)) report.add("token_status_unknown", `${tokenLabel(row)}: ${row["status"] ?? "NULL"}`);
  return mustBeOff || isShort || !STATUSES.has(status) ? TOKEN_STATUS.disabled : status;
}

/** new-api has a switch beside its list; in one-api an empty list is for all. */
function modelsOf(row: SourceRow): Pick<NewToken, "model_limits" | "model_limits_enabled"> {
  const ofOneApi = splitList(textIn(row, "models"));
  const isOn = flagIn(row, "model_limits_enabled") ?? ofOneApi.length > 0;
  const names = "model_limits" in row ? splitList(textIn(row, "model_limits")) : ofOneApi;
  return { model_limits: names.join(","), model_limits_enabled: isOn ? 1 : 0 };
}

function ownGroupsOf(row: SourceRow, { groups, report }: TokenContext): string {
  const there = parseJson(textIn(row, "auto_groups"));
  const names = Array.isArray(there) ? there.filter((name) => typeof name === "string") : [];
  const kept = [...new Set(names)].filter((name) => groups.has(name));
  if (kept.length < names.length) report.add("token_groups_dropped", tokenLabel(row));
  return JSON.stringify(kept);
}

/** Of LiteLLM's keys nothing but their SHA-256 is stored there. */
function keyColumns(row: SourceRow, { target }: TokenContext): SealedKey & Partial<Pick<NewToken, "key_unknown">> {
  const key = textIn(row, "key").trim();
  if (flagIn(row, "key_is_sha256") !== true) return sealTokenKey(target.secrets, key);
  return sealHashedKey(target.secrets, key, textIn(row, "key_end"));
}

/** The opening entry of a token. */
export function openingOfToken(row: SourceRow, { target, moved }: Pick<TokenContext, "target" | "moved">) {
  const sourceId = numberIn(row, "id");
  const owner = numberIn(row, "user_id");
  return (tokenId: number) => ({
    entryId: entryIdOf(target.origin, "tokens", sourceId),
    userId: moved.get(owner) ?? owner,
    tokenId,
    channelId: 0,
    quota: 0,
    tokenQuota: quotaIn(row, "remain_quota"),
    affQuota: 0,
    used: quotaIn(row, "used_quota"),
    requests: 0,
    detail: JSON.stringify({ reason: "import", source: target.origin, id: sourceId }),
  });
}

/** Plans one token that is not here yet, and whose row is not refused. Throws where an amount cannot be kept. */
export function planToken(row: SourceRow, context: TokenContext): MoneyRow<"tokens"> {
  const { moved, report } = context;
  const owner = numberIn(row, "user_id");
  const { allow_ips, isBad } = addressesOf(row, context);
  const isUnlimited = flagIn(row, "unlimited_quota") === true;
  if (!isUnlimited && quotaIn(row, "remain_quota") < 0)
    report.add("token_balance_negative", `${tokenLabel(row)}: ${quotaIn(row, "remain_quota")}`);
  const group = nameIn(row, "group", 64);
  return {
    sourceId: numberIn(row, "id"),
    row: {
      user_id: moved.get(owner) ?? owner,
      name: nameIn(row, "name", 128) || `token ${numberIn(row, "id")}`,
      ...keyColumns(row, context),
      status: statusOf(row, context, isBad),
      created_time: Math.max(0, numberIn(row, "created_time")),
      accessed_time: Math.max(0, numberIn(row, "accessed_time")),
      expired_time: numberIn(row, "expired_time", NEVER_EXPIRES) || NEVER_EXPIRES,
      remain_quota: 0,
      held: 0,
      used_quota: 0,
      unlimited_quota: isUnlimited ? 1 : 0,
      ...modelsOf(row),
      allow_ips,
      auto_groups: group === AUTO_GROUP ? ownGroupsOf(row, context) : "[]",
      cross_group_retry: flagIn(row, "cross_group_retry") === true ? 1 : 0,
      group_name: group,
      deleted_at: momentIn(row, "deleted_at") ?? null,
    },
    opening: openingOfToken(row, context),
  };
}
