/** Options of another gateway: those with a name and meaning here, each by the rules of the settings page; the others are listed. */
import {
  isOptionName,
  optionDefinition,
  type OptionName,
  parseOptions,
  validateOption,
} from "../../../contract/src/options/options.ts";
import { AppError } from "../../../contract/src/errors.ts";
import { withBothQuotaOptions } from "../../../contract/src/options/quota-unit.ts";
import { provenWays } from "../console/accounts/proven-ways.ts";
import { openOption, sealOption } from "../db/secrets.ts";
import { type Queries, upsert } from "../db/portable.ts";
import { bumpVersion } from "../db/versions.ts";
import { textIn } from "./cells.ts";
import { optionsOfTables } from "./hub-options.ts";
import type { Report } from "./report.ts";
import type { KnownSource } from "./systems.ts";
import { readTable } from "./tables.ts";
import type { Target } from "./target.ts";

/** Names there that are others here. */
export const RENAMED_OPTIONS: Readonly<Record<string, OptionName>> = {
  CreateCacheRatio: "CacheCreationRatio",
  "group_ratio_setting.group_ratio": "GroupRatio",
  "group_ratio_setting.group_group_ratio": "GroupGroupRatio",
  "tool_price_setting.prices": "ToolPrices",
  StripeApiSecret: "StripeSecretKey",
  StripeUnitPrice: "StripePrice",
  OidcEnabled: "oidc.enabled",
  OidcClientId: "oidc.client_id",
  OidcClientSecret: "oidc.client_secret",
  OidcWellKnown: "oidc.well_known",
  OidcAuthorizationEndpoint: "oidc.authorization_endpoint",
  OidcTokenEndpoint: "oidc.token_endpoint",
  OidcUserinfoEndpoint: "oidc.user_info_endpoint",
  // Of one-hub.
  OIDCAuthEnabled: "oidc.enabled",
  OIDCClientId: "oidc.client_id",
  OIDCClientSecret: "oidc.client_secret",
  OIDCIssuer: "oidc.well_known",
  PaymentUSDRate: "Price",
  SafeKeyWords: "SensitiveWords",
  DisableChannelKeywords: "AutomaticDisableKeywords",
};

/** Values that are the old product's own, by option here. */
const OWN_VALUES: Readonly<Record<string, RegExp>> = {
  SystemName: /^(?:(?:new|one) api|(?:one|done)[ -]hub|veloera)$/i,
  ServerAddress: /^https?:\/\/localhost(?::\d+)?\/?$/,
  "general_setting.docs_link": /newapi\.pro|new-api/i,
  // Nothing is switched on for visitors that the operator did not ask for here.
  DemoSiteEnabled: /^true$/,
  // Made for an address of the old system; the new one has a secret of its own.
  StripeWebhookSecret: /./,
};

const SECRET_NAME = /secret|token|key|password|cert|credential/i;
const SHOWN_MAX = 80;

/** The value of an option without a place, where it is no secret. */
const shownValue = (name: string, value: string): string =>
  SECRET_NAME.test(name) ? "***" : value.length > SHOWN_MAX ? `${value.slice(0, SHOWN_MAX)}…` : value;

/** one-hub stores the address of the issuer, not that of its document. */
const valueThere = (name: string, value: string): string =>
  name === "OIDCIssuer" && value.trim() !== ""
    ? `${value.trim().replace(/\/$/, "")}/.well-known/openid-configuration`
    : value;

/** Rows of the source by their name here; those without one are listed. */
async function optionsThere(
  source: KnownSource,
  report: Report,
  here: ReadonlyMap<string, string>,
): Promise<Map<OptionName, string>> {
  const there = await optionsOfTables(source, report, here);
  for await (const rows of readTable(source, "options", report)) {
    for (const row of rows) {
      const name = textIn(row, "key");
      const here = RENAMED_OPTIONS[name] ?? name;
      const value = valueThere(name, textIn(row, "value"));
      if (!isOptionName(here)) {
        report.leaveOption(name, shownValue(name, value));
        report.count("options", "refused");
      } else if (OWN_VALUES[here]?.test(value.trim()) === true) {
        report.add("option_is_default", name);
        report.count("options", "refused");
      } else if (there.has(here) && there.get(here) !== value) {
        // The later of two names of one thing; which was saved last is not known.
        report.add("option_refused", `${name}: ${here} has another value under its other name`);
        report.count("options", "refused");
      } else there.set(here, value);
    }
  }
  return there;
}

/** Stored texts by name; those of secrets are sealed. */
async function storedOptions(queries: Queries): Promise<ReadonlyMap<string, string>> {
  const rows = await queries.selectFrom("options").select(["name", "value"]).execute();
  return new Map(rows.map(({ name, value }) => [name, value]));
}

/** A stored text in clear; undefined for a secret that cannot be opened. */
function plainText({ secrets }: Target, name: OptionName, value: string): string | undefined {
  if (!optionDefinition(name).isSecret) return value;
  try {
    return openOption(secrets, name, value);
  } catch {
    return undefined; // It counts as not set, as everywhere.
  }
}

/** Texts that are stored here, in clear. */
function textsHere(target: Target, stored: ReadonlyMap<string, string>): Map<string, string> {
  const texts = [...stored].flatMap(([name, value]): [string, string][] => {
    const text = isOptionName(name) ? plainText(target, name, value) : undefined;
    return text === undefined ? [] : [[name, text]];
  });
  return new Map(texts);
}

interface Checked {
  accepted: Map<OptionName, string>;
  refused: Map<OptionName, string>;
}

/** Checks what is wanted; an option that needs another one is looked at again after it. */
function checkAll(
  wanted: ReadonlyMap<OptionName, string>,
  here: ReadonlyMap<string, string>,
  proven: ReadonlySet<string>,
): Checked {
  const texts = new Map(here);
  const accepted = new Map<OptionName, string>();
  let refused = new Map<OptionName, string>();
  for (let before = -1; accepted.size > before;) {
    before = accepted.size;
    refused = new Map();
    for (const [name, value] of wanted) {
      if (accepted.has(name)) continue;
      try {
        const { normalised } = validateOption(name, value, parseOptions(texts), proven);
        accepted.set(name, normalised);
        texts.set(name, normalised);
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        refused.set(name, error.message);
      }
    }
  }
  return { accepted, refused };
}

async function writeOptions(target: Target, accepted: ReadonlyMap<string, string>): Promise<void> {
  const { database, secrets, now } = target;
  await database.kysely.transaction().execute(async (transaction) => {
    const revision = await bumpVersion(transaction, "options");
    const stored = await storedOptions(transaction);
    for (const [name, text] of withBothQuotaOptions(accepted, textsHere(target, stored))) {
      // An option that was set here meanwhile stays.
      if (!isOptionName(name) || stored.has(name)) continue;
      const value = optionDefinition(name).isSecret ? sealOption(secrets, name, text) : text;
      const change = { value, revision, updated_by: 0, updated_time: now };
      await upsert(database, transaction, "options", { name, ...change }, ["name"], change);
    }
  });
}

/** QuotaPerUnit says what every amount means. Throws an Error of one line. */
function checkUnit(there: ReadonlyMap<OptionName, string>, here: ReadonlyMap<string, string>): void {
  const unit = there.get("QuotaPerUnit");
  if (unit !== undefined && !/^[1-9]\d*(?:\.0+)?$/.test(unit.trim()))
    throw new Error(
      `QuotaPerUnit is "${unit.slice(0, 40)}" there, which is no whole number: amounts mean nothing here`,
    );
  const own = here.get("QuotaPerUnit");
  if (own !== undefined && Number(own) !== Number(unit ?? 500_000))
    throw new Error(`QuotaPerUnit is ${unit ?? 500_000} there and ${own} here: the same balance would be other money`);
}

/**
 * Brings the options that are not set here yet.
 * @returns texts by name as they are afterwards, in clear
 * @throws an Error of one line where amounts mean something else here
 */
export async function importOptions({
  source,
  target,
  report,
}: {
  source: KnownSource;
  target: Target;
  report: Report;
}): Promise<ReadonlyMap<string, string>> {
  const here = textsHere(target, await storedOptions(target.database.kysely));
  const there = await optionsThere(source, report, here);
  // Its amounts are dollars.
  if (source.system !== "LiteLLM") checkUnit(there, here);
  const wanted = new Map([...there].filter(([name]) => !here.has(name)));
  for (const [name, value] of there) {
    if (!here.has(name)) continue;
    const isSame = here.get(name) === value || optionDefinition(name).isSecret;
    if (!isSame && !isEqual(name, value, here.get(name) ?? "")) report.add("option_kept", name);
    report.count("options", "known");
  }
  const { accepted, refused } = checkAll(wanted, here, await provenWays(target.database));
  for (const [name, why] of refused) report.add("option_refused", `${name}: ${why}`);
  report.count("options", "brought", accepted.size);
  report.count("options", "refused", refused.size);
  if (!target.isDryRun && accepted.size > 0) await writeOptions(target, accepted);
  return new Map([...here, ...accepted]);
}

/** Whether two texts are one value. */
function isEqual(name: OptionName, one: string, other: string): boolean {
  try {
    return optionDefinition(name).read(one).normalised === optionDefinition(name).read(other).normalised;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}
