/** The options of signing in with accounts of other sites, which the catalogue lists: a switch, a client and its secret for each way of WAYS. */
import { booleanOption, choiceOption, integerOption, textOption, urlOption } from "./kinds.ts";
import type { OptionSection } from "./sections.ts";

/** Who may set them decides who can sign in: they are the super administrator's. */
const ofRoot = (section: OptionSection) => ({ section, owner: "root" }) as const;
const secret = <Place extends ReturnType<typeof ofRoot>>(place: Place) => ({ ...place, isSecret: true }) as const;
const OIDC = ofRoot("oidc");
const GITHUB = ofRoot("github");
const DISCORD = ofRoot("discord");
const LINUX_DO = ofRoot("linux_do");
const LARK = ofRoot("lark");
const DINGTALK = ofRoot("dingtalk");
const WECHAT = ofRoot("wechat");
const TELEGRAM = ofRoot("telegram");

export const WAY_OPTIONS = {
  GitHubOAuthEnabled: booleanOption(false, GITHUB),
  GitHubClientId: textOption("", GITHUB),
  GitHubClientSecret: textOption("", secret(GITHUB)),
  "discord.enabled": booleanOption(false, DISCORD),
  "discord.client_id": textOption("", DISCORD),
  "discord.client_secret": textOption("", secret(DISCORD)),
  LinuxDOOAuthEnabled: booleanOption(false, LINUX_DO),
  LinuxDOClientId: textOption("", LINUX_DO),
  LinuxDOClientSecret: textOption("", secret(LINUX_DO)),
  LinuxDOMinimumTrustLevel: integerOption(0, { ...LINUX_DO, minimum: 0, maximum: 4 }),
  LarkAuthEnabled: booleanOption(false, LARK),
  LarkClientId: textOption("", LARK),
  LarkClientSecret: textOption("", secret(LARK)),
  /** An app is of Feishu or of Lark, which have addresses of their own. */
  LarkSite: choiceOption(["feishu", "lark"], "feishu", LARK),
  DingTalkAuthEnabled: booleanOption(false, DINGTALK),
  DingTalkClientId: textOption("", DINGTALK),
  DingTalkClientSecret: textOption("", secret(DINGTALK)),
  WeChatAuthEnabled: booleanOption(false, WECHAT),
  WeChatServerAddress: urlOption({ ...WECHAT, trimsSlash: true }),
  WeChatServerToken: textOption("", secret(WECHAT)),
  WeChatAccountQRCodeImageURL: urlOption(WECHAT),
  TelegramOAuthEnabled: booleanOption(false, TELEGRAM),
  TelegramBotToken: textOption("", secret(TELEGRAM)),
  TelegramBotName: textOption("", TELEGRAM),
  /** The bot answers people: their balance, and codes that they redeem. */
  TelegramBotEnabled: booleanOption(false, TELEGRAM),
  "oidc.enabled": booleanOption(false, OIDC),
  "oidc.client_id": textOption("", OIDC),
  "oidc.client_secret": textOption("", secret(OIDC)),
  "oidc.well_known": urlOption(OIDC),
  "oidc.authorization_endpoint": urlOption(OIDC),
  "oidc.token_endpoint": urlOption(OIDC),
  "oidc.user_info_endpoint": urlOption(OIDC),
};
