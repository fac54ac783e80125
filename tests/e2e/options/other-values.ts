/** For the walk through the catalogue: another valid value of every option, by its kind, or its own where it holds JSON. */
import { type OptionName, optionDefinition } from "../../../contract/src/options/options.ts";
import { keyOptions } from "../../support/payments/keys.ts";

const GROUPS = '{"default": 1, "vip": 0.5, "walk": 2}';
const RATIOS = '{"walk-model": 2.5}';
const TIER = '{"above": 1000, "ratio": 2, "completion": 3, "cache": 0.1, "cache_creation": 1}';

/** Options whose value has a shape of its own. */
const OWN: Partial<Record<OptionName, string>> = {
  "oidc.well_known": "http://127.0.0.1:1/.well-known/openid-configuration",
  EmailDomainWhitelist: "walk.example",
  AutomaticRetryStatusCodes: "429,500-503",
  AutomaticDisableStatusCodes: "401,403",
  // Off goes with it, and the walk turns it off as well.
  "general_setting.quota_display_type": "TOKENS",
  "general_setting.custom_currency_symbol": "€",
  Logo: "/logo.png",
  ModelPrice: '{"walk-call": 0.02}',
  ModelRatio: RATIOS,
  CompletionRatio: RATIOS,
  CacheRatio: RATIOS,
  CacheCreationRatio: RATIOS,
  ImageRatio: RATIOS,
  AudioRatio: RATIOS,
  AudioCompletionRatio: RATIOS,
  ContextTiers: `{"walk-model": [${TIER}]}`,
  "channel_affinity_setting.rules":
    '[{"name": "walk", "model_regex": ["^walk-"], "key_sources": [{"type": "request_header", "key": "x-walk"}]}]',
  GroupRatio: GROUPS,
  TopupGroupRatio: GROUPS,
  UserUsableGroups: '{"default": "Everybody", "walk": "Walkers"}',
  GroupGroupRatio: '{"vip": {"default": 0.5}}',
  "group_ratio_setting.group_special_usable_group": '{"vip": {"+:walk": "Walkers", "-:default": ""}}',
  PaidGroups: '{"vip": 10}',
  PayMethods: '[{"type": "alipay", "name": "Walk", "min_topup": 10}]',
  "payment_setting.amount_options": "[5, 25]",
  "payment_setting.amount_discount": '{"25": 0.9}',
  ...keyOptions(),
  CheckinTimeZone: "Asia/Shanghai",
  AutoGroups: '["vip", "default"]',
  "fetch_setting.domain_list": '["cdn.example.com"]',
  "fetch_setting.allowed_ports": '["443"]',
  // As their fields write them.
  HeaderNavModules: JSON.stringify({ about: false }, null, 2),
  SidebarModulesAdmin: JSON.stringify({ console: { detail: false } }, null, 2),
  Chats: '[\n  {\n    "Walk": "https://walk.example/?key={key}&url={address}"\n  }\n]',
  "console_setting.announcements":
    '[{"content": "Walk", "publishDate": "2026-01-31T12:00:00Z", "type": "ongoing", "extra": ""}]',
  "console_setting.faq": '[{"question": "Walk?", "answer": "Walk."}]',
  "console_setting.api_info":
    '[{"url": "https://walk.example", "route": "Walk", "description": "Walks", "color": "blue"}]',
  ModelRequestRateLimitGroup: '{"vip": [100, 50]}',
  ModelRetirementDates: '{"walk-model": "2031-12-31"}',
  "gemini.safety_settings": '{"default": "BLOCK_NONE"}',
  "gemini.version_settings": '{"default": "v1"}',
  "gemini.supported_imagine_models": '["walk-image"]',
  "claude.model_headers_settings": '{"walk-claude": {"anthropic-beta": ["walk"]}}',
  "claude.default_max_tokens": '{"default": 4096}',
};

/** The default with one more entry of the same shape. */
function withEntry(text: string): string {
  const value = JSON.parse(text) as Record<string, Record<string, unknown>>;
  const [first = ""] = Object.keys(value);
  return JSON.stringify({ ...value, [first]: { ...value[first], "walk-model": 3 } });
}

/** Another text than the default that the option takes. */
export function otherValue(name: OptionName): string {
  const own = OWN[name];
  const { kind, defaultText, choices = [] } = optionDefinition(name);
  if (name === "ToolPrices" || name === "PremiumRatios") return withEntry(defaultText);
  if (own !== undefined) return own;
  switch (kind) {
    case "boolean":
      return String(defaultText !== "true");
    case "integer":
      return String(Number(defaultText) + 1);
    case "decimal":
      return "0.5";
    case "choice":
      return choices.find((choice) => choice !== defaultText) ?? "";
    case "lines":
      return "walk one\nwalk two";
    case "url":
    case "picture":
      return "https://walk.example/path";
    case "content":
      return "# Walk";
    case "text":
      return `walk ${name}`;
    case "commaList":
    case "json":
      throw new Error(`The walk needs a value for ${name}`);
  }
}
