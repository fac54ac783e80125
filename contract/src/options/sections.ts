/** The settings page as data: its tabs, and the sections of each in the order in which they are shown. */

/** Tabs of the settings page, with their sections. A section without options is drawn by a panel of its own. */
export const OPTION_SECTIONS = {
  operation: [
    "general",
    "quota",
    "check_in",
    "monitoring",
    "channel_choice",
    "log",
    "dashboard",
    "sensitive_words",
    "drawing",
    "prices",
    "unpriced_models",
    "price_tables",
    "groups",
    "price_list",
    "site_prices",
    "dry_run",
    "chats",
  ],
  ratelimit: ["requests", "concurrency", "bounds"],
  models: ["every_model", "gemini", "claude"],
  system: [
    "site",
    "worker",
    "web_search",
    "payment",
    "alipay",
    "wechat_pay",
    "sign_in",
    "email_domains",
    "smtp",
    "oidc",
    "github",
    "discord",
    "linux_do",
    "lark",
    "dingtalk",
    "wechat",
    "telegram",
    "identity_providers",
    "turnstile",
  ],
  other: ["system_info", "notice", "announcements", "faq", "api_info", "legal", "appearance", "bars"],
} as const;

export type OptionPage = keyof typeof OPTION_SECTIONS;
export type OptionSection = (typeof OPTION_SECTIONS)[OptionPage][number];

export const OPTION_PAGES = Object.freeze(Object.keys(OPTION_SECTIONS) as OptionPage[]);

const PAGE_OF = new Map<string, OptionPage>(
  OPTION_PAGES.flatMap((page) => OPTION_SECTIONS[page].map((section) => [section, page] as const)),
);

/** The tab that a section stands on. Throws a RangeError for an unknown section. */
export function pageOfSection(section: string): OptionPage {
  const page = PAGE_OF.get(section);
  if (page === undefined) throw new RangeError(`There is no settings section '${section}'`);
  return page;
}
