/** Which program's database this is, by the tables and columns that it has. */
import { createHash } from "node:crypto";
import type { SourceAddress } from "./address.ts";
import type { Source } from "./source.ts";

export type System = "one-api" | "new-api" | "one-hub" | "done-hub" | "Veloera" | "LiteLLM";

/** A source whose program is known. */
export interface KnownSource extends Source {
  system: System;
}

/** one-hub and its fork, which share tables and channel numbers. */
export const isHub = (system: System): boolean => system === "one-hub" || system === "done-hub";

/** Newest first: the release that first had it. */
const NEW_API_MARKS: readonly (readonly [mark: string, release: string])[] = [
  ["tokens.auto_groups", "v1.0.0-rc.23"],
  ["users.auth_version", "v1.0.0-rc.22"],
  ["users.last_login_at", "v0.13.2"],
  ["custom_oauth_providers.id", "v0.10.8"],
  ["checkins.id", "v0.10.5"],
  ["tokens.cross_group_retry", "v0.10.1"],
  ["users.discord_id", "v0.9.25"],
  ["top_ups.payment_method", "v0.9.4"],
  ["passkey_credentials.id", "v0.9.1.3"],
  ["channels.header_override", "v0.9.0"],
  ["channels.settings", "v0.8.9.2"],
  ["two_fas.id", "v0.8.8.3"],
  ["channels.channel_info", "v0.8.8.0"],
  ["redemptions.expired_time", "v0.8.4.1"],
  ["setups.id", "v0.6.0.5"],
  ["channels.param_override", "v0.6.0.4"],
  ["users.oidc_id", "v0.5.2.3.1"],
  ["users.setting", "v0.4.8.0"],
  ["channels.setting", "v0.4.0.0"],
  ["channels.tag", "v0.3.2.0"],
  ["users.linux_do_id", "v0.3.1.1"],
  ["tokens.group", "v0.2.9.0"],
  ["tokens.allow_ips", "v0.2.8.7"],
  ["channels.status_code_mapping", "v0.2.2.1"],
  ["tokens.deleted_at", "v0.2.1.1"],
  ["users.telegram_id", "v0.2.0"],
  ["tokens.model_limits", "v0.1.1"],
];

const ONE_API_MARKS: readonly (readonly [mark: string, release: string])[] = [
  ["logs.request_id", "v0.6.11"],
  ["users.oidc_id", "v0.6.9"],
  ["tokens.subnet", "v0.6.5"],
  ["channels.config", "v0.6.0"],
  ["channels.priority", "v0.5.6"],
  ["users.used_quota", "v0.4.4"],
];

/** Of one-hub; done-hub came from the newest of these. */
const ONE_HUB_MARKS: readonly (readonly [mark: string, release: string])[] = [
  ["webauthn_credentials.id", "v0.14.24"],
  ["tokens.setting", "v0.14.16"],
  ["prices.extra_ratios", "v0.14.15"],
  ["user_groups.symbol", "v0.13.0"],
  ["channels.deleted_at", "v0.12.4"],
  ["orders.id", "v0.10.0"],
  ["midjourneys.id", "v0.7.2"],
];

/** Of LiteLLM's proxy: the day of the migration that first had it. */
const LITELLM_MARKS: readonly (readonly [mark: string, release: string])[] = [
  ["LiteLLM_VerificationToken.total_spend", "2026-09-16"],
  ["LiteLLM_TeamMembership.total_spend", "2026-04-21"],
];

/** What only the forks have; the first that is there decides. */
const FORK_MARKS: readonly (readonly [mark: string, system: System])[] = [
  ["channels.model_prefix", "Veloera"],
  ["redemptions.is_gift", "Veloera"],
  ["users.last_check_in_time", "Veloera"],
  ["invite_codes.id", "done-hub"],
  ["logs.cost_quota", "done-hub"],
  ["channels.cost_ratio", "done-hub"],
  ["users.linuxdo_id", "done-hub"],
  ["user_groups.symbol", "one-hub"],
  ["prices.channel_type", "one-hub"],
  ["telegram_menus.id", "one-hub"],
];

const CORE = ["users", "tokens", "channels", "options"] as const;

export interface Recognised {
  system: System;
  /** The least release that has these columns; "" of a fork whose releases look alike. */
  atLeast: string;
}

const has = ({ tables }: Pick<Source, "tables">, mark: string): boolean => {
  const [table = "", column = ""] = mark.split(".");
  return tables.get(table)?.includes(column) === true;
};

type Marks = readonly (readonly [mark: string, release: string])[];

/** Throws an Error of one line for a database that cannot be read as one of the family. */
function checkWhole(source: Pick<Source, "tables">): void {
  const missing = CORE.filter((table) => !source.tables.has(table));
  if (missing.length > 0)
    throw new Error(`This is no database of one-api, new-api or a fork: it has no table ${missing.join(", ")}`);
  const half = [...source.tables.keys()].filter((name) => name.endsWith("__temp"));
  if (half.length > 0)
    throw new Error(
      `The old system was stopped in the middle of a change of its tables (${half.join(", ")}): start it once`,
    );
  if (!has(source, "users.quota"))
    throw new Error("This release of one-api keeps its money in tokens: upgrade it to v0.3 or later first");
}

/**
 * Recognises a database by what it has.
 * @throws an Error of one line for one that is not read
 */
export function recognise(source: Pick<Source, "tables">): Recognised {
  const leastOf = (marks: Marks, oldest: string): string => marks.find(([mark]) => has(source, mark))?.[1] ?? oldest;
  if (has(source, "LiteLLM_VerificationToken.token")) return { system: "LiteLLM", atLeast: leastOf(LITELLM_MARKS, "") };
  checkWhole(source);
  const fork = FORK_MARKS.find(([mark]) => has(source, mark))?.[1];
  if (fork !== undefined) return { system: fork, atLeast: fork === "one-hub" ? leastOf(ONE_HUB_MARKS, "v0.5.8") : "" };
  const isNewApi = has(source, "top_ups.id") || has(source, "midjourneys.id") || has(source, "tokens.model_limits");
  return isNewApi
    ? { system: "new-api", atLeast: leastOf(NEW_API_MARKS, "v0.0.4") }
    : { system: "one-api", atLeast: leastOf(ONE_API_MARKS, "v0.3.0") };
}

/** Names a source in ledger entries: 12 characters, the same for the same system and place. */
export const originOf = (system: System, { place }: SourceAddress): string =>
  createHash("sha256").update(`${system}\0${place}`).digest("hex").slice(0, 12);
