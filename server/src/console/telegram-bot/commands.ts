/** What the bot understands, and its answers in both languages. Pure. */
import type { Language } from "../../../../contract/src/notifications.ts";

export const COMMANDS = ["start", "bind", "balance", "redeem", "unbind", "help"] as const;
export type CommandName = (typeof COMMANDS)[number];

export interface Command {
  name: CommandName;
  /** The argument of the command; "" for none. */
  argument: string;
}

const isCommand = (name: string): name is CommandName => COMMANDS.some((each) => each === name);

/** `/redeem CODE`, also as `/redeem@TheBot CODE`; whatever is no command asks for help. */
export function readCommand(text: string): Command {
  const [, name = "", argument = ""] = /^\/(\w+)(?:@\w+)?(?:\s+(\S[\s\S]*))?$/.exec(text.trim()) ?? [];
  const known = name.toLowerCase();
  return isCommand(known) ? { name: known, argument: argument.trim() } : { name: "help", argument: "" };
}

/** The language of a Telegram client, an IETF tag such as `zh-hans`. */
export const languageOf = (tag: string): Language => (tag.toLowerCase().startsWith("zh") ? "zh" : "en");

interface Answers {
  help: string;
  unbound: string;
  bound: string;
  balance: string;
  redeemed: string;
  unbindQuestion: string;
  gone: string;
  disabled: string;
  tooMany: string;
  failed: string;
  /** By the code of an AppError; another one is said in its own words. */
  refusals: Readonly<Record<string, string>>;
}

const ENGLISH: Answers = {
  help: "/balance – your balance at {site}\n/redeem CODE – redeem a code\n/unbind – unlink this Telegram account\n/help – this list",
  unbound:
    "This Telegram account is linked to no account at {site}. Open the personal settings there and choose Telegram.",
  bound: "Linked to {username} at {site}. /balance shows your balance.",
  balance: "Balance: {left}\nUsed: {used}",
  redeemed: "Added {amount}. Balance: {left}",
  unbindQuestion: "Send /unbind yes to unlink this Telegram account from {username}.",
  gone: "This Telegram account is no longer linked.",
  disabled: "Your account at {site} is disabled.",
  tooMany: "That was a lot at once. Please wait a minute.",
  failed: "That did not work. Please try again later.",
  refusals: {
    code_invalid: "This link is not valid any more. Make a new one in the personal settings.",
    too_many_requests: "Too many wrong codes. Please wait a minute and try again.",
    redemption_code_missing: "Please send the code too: /redeem CODE",
  },
};

const CHINESE: Answers = {
  help: "/balance – 查看您在 {site} 的余额\n/redeem 兑换码 – 使用兑换码\n/unbind – 解除与此 Telegram 账户的绑定\n/help – 显示此列表",
  unbound: "此 Telegram 账户尚未绑定 {site} 的账户。请在该站的个人设置中选择 Telegram。",
  bound: "已绑定 {site} 的账户 {username}。发送 /balance 查看余额。",
  balance: "余额：{left}\n已使用：{used}",
  redeemed: "已增加 {amount}。余额：{left}",
  unbindQuestion: "发送 /unbind yes 以解除此 Telegram 账户与 {username} 的绑定。",
  gone: "此 Telegram 账户已解除绑定。",
  disabled: "您在 {site} 的账户已被禁用。",
  tooMany: "操作过于频繁，请稍等一分钟。",
  failed: "操作失败，请稍后再试。",
  refusals: {
    code_invalid: "此链接已失效，请在个人设置中重新生成。",
    too_many_requests: "错误的兑换码过多，请稍等一分钟后再试。",
    redemption_code_missing: "请同时发送兑换码：/redeem 兑换码",
    redemption_unknown: "没有这个兑换码，请检查输入是否有误。",
    redemption_disabled: "该兑换码已被禁用，请联系发放者。",
    redemption_used: "该兑换码已被使用。",
    redemption_used_by_you: "您已使用过该兑换码，额度已计入余额。",
    redemption_expired: "该兑换码已过期。",
    balance_limit: "余额将超出可精确计算的上限，未增加任何额度。",
    identity_taken: "此 Telegram 账户已绑定其他账户。",
    identity_bound: "您的账户已绑定另一个 Telegram 账户，请先在个人设置中解除绑定。",
    identity_last: "这是您唯一的登录方式，无法解除。请先设置密码或绑定其他方式。",
  },
};

const ANSWERS: Readonly<Record<Language, Answers>> = { en: ENGLISH, zh: CHINESE };

/** An answer with its values filled in. */
export const answerText = (
  language: Language,
  key: Exclude<keyof Answers, "refusals">,
  values: Readonly<Record<string, string>> = {},
): string => ANSWERS[language][key].replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "");

/** Why something was refused. @param message the error's own sentence, in English */
export const refusalText = (language: Language, code: string, message: string): string =>
  ANSWERS[language].refusals[code] ?? (language === "en" ? message : ANSWERS[language].failed);
