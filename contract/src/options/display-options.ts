/** Options of what the site shows: the unit of amounts, the cards of the dashboard, and the texts that people accept. */
import { QUOTA_DISPLAY_TYPES } from "../quota-display.ts";
import { contentOption } from "./content.ts";
import { jsonOption } from "./json-option.ts";
import { booleanOption, choiceOption, currencySignOption, decimalOption } from "./kinds.ts";
import { announcementsSchema, apiAddressesSchema, questionsSchema } from "./schemas.ts";
import type { OptionSection } from "./sections.ts";

const ofRoot = (section: OptionSection) => ({ section, owner: "root" }) as const;
const GENERAL = { section: "general", owner: "admin" } as const;
const EXCHANGE_RATE = { ...GENERAL, minimum: 0.0001, maximum: 1_000_000, maximumDecimals: 6 } as const;

export const QUOTA_UNIT = {
  /** What quota is shown in; the ledger's unit stays. `DisplayInCurrencyEnabled`, one-api's word, is off where the type is TOKENS: quota-unit.ts. */
  "general_setting.quota_display_type": choiceOption(QUOTA_DISPLAY_TYPES, "USD", GENERAL),
  DisplayInCurrencyEnabled: booleanOption(true, GENERAL),
  /** Yuan for one US dollar, where quota is shown in yuan. */
  USDExchangeRate: decimalOption("7.3", EXCHANGE_RATE),
  "general_setting.custom_currency_symbol": currencySignOption("¤", GENERAL),
  /** Amount of the site's own currency for one US dollar. */
  "general_setting.custom_currency_exchange_rate": decimalOption("1", EXCHANGE_RATE),
};

/** Cards of the dashboard. Their texts hold links, and the addresses are where people send their keys. */
const ANNOUNCEMENTS = ofRoot("announcements");
const FAQ = ofRoot("faq");
const API_INFO = ofRoot("api_info");
export const DASHBOARD_CARDS = {
  "console_setting.announcements_enabled": booleanOption(true, ANNOUNCEMENTS),
  "console_setting.announcements": jsonOption([], announcementsSchema, ANNOUNCEMENTS),
  "console_setting.faq_enabled": booleanOption(true, FAQ),
  "console_setting.faq": jsonOption([], questionsSchema, FAQ),
  "console_setting.api_info_enabled": booleanOption(true, API_INFO),
  "console_setting.api_info": jsonOption([], apiAddressesSchema, API_INFO),
};

/** What people accept before they use the site; they are asked again when a text changes. */
export const LEGAL = {
  "legal.user_agreement": contentOption(ofRoot("legal")),
  "legal.privacy_policy": contentOption(ofRoot("legal")),
};
