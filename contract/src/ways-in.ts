/** The built-in ways of signing in with an account of another site, as data. Named OpenID providers are stored as rows instead. */

/**
 * Each by its name in addresses.
 * `title`: what the site is called. `option`: the switch, with the options that it `needs` first. `section`: of the settings page.
 * `hasCallback`: the site leads back to `/oauth/<name>`, which the operator enters there.
 * `status`: the field of the status object that shows the switch, and those that show texts, with their options.
 */
export const WAYS = {
  github: {
    title: "GitHub",
    option: "GitHubOAuthEnabled",
    needs: ["GitHubClientId", "GitHubClientSecret"],
    section: "github",
    hasCallback: true,
    status: { switch: "github_oauth", texts: { github_client_id: "GitHubClientId" } },
  },
  oidc: {
    title: "OpenID Connect",
    option: "oidc.enabled",
    needs: [
      "oidc.client_id",
      "oidc.client_secret",
      "oidc.authorization_endpoint",
      "oidc.token_endpoint",
      "oidc.user_info_endpoint",
    ],
    section: "oidc",
    hasCallback: true,
    status: {
      switch: "oidc_enabled",
      texts: { oidc_client_id: "oidc.client_id", oidc_authorization_endpoint: "oidc.authorization_endpoint" },
    },
  },
  discord: {
    title: "Discord",
    option: "discord.enabled",
    needs: ["discord.client_id", "discord.client_secret"],
    section: "discord",
    hasCallback: true,
    status: { switch: "discord_oauth", texts: { discord_client_id: "discord.client_id" } },
  },
  linuxdo: {
    title: "Linux DO",
    option: "LinuxDOOAuthEnabled",
    needs: ["LinuxDOClientId", "LinuxDOClientSecret"],
    section: "linux_do",
    hasCallback: true,
    status: { switch: "linuxdo_oauth", texts: { linuxdo_client_id: "LinuxDOClientId" } },
  },
  lark: {
    title: "Lark",
    option: "LarkAuthEnabled",
    needs: ["LarkClientId", "LarkClientSecret"],
    section: "lark",
    hasCallback: true,
    status: { switch: "lark_oauth", texts: { lark_client_id: "LarkClientId" } },
  },
  dingtalk: {
    title: "DingTalk",
    option: "DingTalkAuthEnabled",
    needs: ["DingTalkClientId", "DingTalkClientSecret"],
    section: "dingtalk",
    hasCallback: true,
    status: { switch: "dingtalk_oauth", texts: { dingtalk_client_id: "DingTalkClientId" } },
  },
  wechat: {
    title: "WeChat",
    option: "WeChatAuthEnabled",
    needs: ["WeChatServerAddress", "WeChatServerToken"],
    section: "wechat",
    hasCallback: false,
    status: { switch: "wechat_login", texts: { wechat_qrcode: "WeChatAccountQRCodeImageURL" } },
  },
  telegram: {
    title: "Telegram",
    option: "TelegramOAuthEnabled",
    needs: ["TelegramBotToken", "TelegramBotName"],
    section: "telegram",
    hasCallback: false,
    status: { switch: "telegram_oauth", texts: { telegram_bot_name: "TelegramBotName" } },
  },
} as const;

export type BuiltInWay = keyof typeof WAYS;
export const BUILT_IN_WAYS = Object.freeze(Object.keys(WAYS) as BuiltInWay[]);

export const isBuiltInWay = (way: string): way is BuiltInWay => Object.hasOwn(WAYS, way);

/** What a site is called; a named provider by its slug. */
export const titleOfWay = (way: string): string => (isBuiltInWay(way) ? WAYS[way].title : way);

/** Titles by way; left out of scripts that do not use it. */
export const WAY_TITLES: Readonly<Record<string, string>> = /* @__PURE__ */ Object.fromEntries(
  Object.entries(WAYS).map(([way, { title }]) => [way, title]),
);

type Shown = (typeof WAYS)[BuiltInWay]["status"];
type TextsOf<Status> = Status extends { texts: infer Texts } ? Texts : never;
type KeyOf<Texts> = Texts extends unknown ? keyof Texts : never;
type OptionOf<Texts> = Texts extends unknown ? Texts[keyof Texts] : never;

/** The ways' fields of the status object, in their order: what `ofSwitch` and `ofText` make of each field's option. */
export const statusOfWays = <Switch, Text>(
  ofSwitch: (option: (typeof WAYS)[BuiltInWay]["option"]) => Switch,
  ofText: (option: OptionOf<TextsOf<Shown>>) => Text,
): Record<Shown["switch"], Switch> & Record<KeyOf<TextsOf<Shown>>, Text> => {
  const fields = Object.values(WAYS).flatMap(({ option, status }) => [
    [status.switch, ofSwitch(option)],
    ...Object.entries(status.texts).map(([field, text]) => [field, ofText(text)]),
  ]);
  return Object.fromEntries(fields) as Record<Shown["switch"], Switch> & Record<KeyOf<TextsOf<Shown>>, Text>;
};

/**
 * Fields of a user's answers that say who they are at a site. For one release more they are columns of users too, which are written with
 * the rows of `identities`: processes of the version before, which may still run beside this one, sign people in by them. A way that is
 * added needs none: the list of bindings has it.
 */
export const SUBJECT_FIELDS = {
  github: "github_id",
  oidc: "oidc_id",
  wechat: "wechat_id",
  telegram: "telegram_id",
  linuxdo: "linux_do_id",
} as const satisfies Partial<Record<BuiltInWay, string>>;
export type SubjectField = (typeof SUBJECT_FIELDS)[keyof typeof SUBJECT_FIELDS];
