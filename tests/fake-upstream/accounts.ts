/** Balances of accounts as the fake upstream reports them: in the form of OpenAI's billing pages, and in DeepSeek's. */
import { openAiChatVendor } from "./openai/chat.ts";
import type { Vendor } from "./vendor.ts";

const PAGES: readonly (readonly [path: RegExp, body: object])[] = [
  [/\/billing\/subscription$/, { object: "billing_subscription", has_payment_method: true, hard_limit_usd: 250 }],
  [/\/billing\/usage$/, { object: "list", total_usage: 3_182.4 }],
  [/\/user\/balance$/, { is_available: true, balance_infos: [{ currency: "CNY", total_balance: "418.27" }] }],
];

/** Paths that it answers. */
export const ACCOUNT_PATHS = /\/(?:dashboard\/billing\/(?:subscription|usage)|user\/balance)$/;

export const accountVendor: Vendor = {
  ...openAiChatVendor,
  page: ({ path }) => JSON.stringify(PAGES.find(([served]) => served.test(path.split("?")[0] ?? ""))?.[1] ?? {}),
};
