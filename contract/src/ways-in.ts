/** The ways of signing in with an account of another site that every installation knows, as data. Named OpenID providers are rows beside them. */

/**
 * Each by its name in addresses.
 * `title`: what the site is called. `option`: the switch, with the options that it `needs` first. `section`: of the settings page.
 * `hasCallback`: the site leads back to `/oauth/<name>`, which the operator enters there.
 * `status`: fields of the status object with the options that they show; the first one is the switch, the others are texts.
 */
export const WAYS = {
  github: {
    title: "GitHub",
    option: "GitHubOAuthEnabled",
    needs: ["GitHubClientId", "GitHubClientSecret"],
    section: "github",
    hasCallback: true,
    status: { github_oauth: "GitHubOAuthEnabled", github_client_id: "GitHubClientId" },
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
      oidc_enabled: "oidc.enabled",
      oidc_client_id: "oidc.client_id",
      oidc_authorization_endpoint: "oidc.authorization_endpoint",
    },
  },
  linuxdo: {
    title: "Linux DO",
    option: "LinuxDOOAuthEnabled",
    needs: ["LinuxDOClientId", "LinuxDOClientSecret"],
    section: "linux_do",
    hasCallback: true,
    status: { linuxdo_oauth: "LinuxDOOAuthEnabled", linuxdo_client_id: "LinuxDOClientId" },
  },
  wechat: {
    title: "WeChat",
    option: "WeChatAuthEnabled",
    needs: ["WeChatServerAddress", "WeChatServerToken"],
    section: "wechat",
    hasCallback: false,
    status: { wechat_login: "WeChatAuthEnabled", wechat_qrcode: "WeChatAccountQRCodeImageURL" },
  },
  telegram: {
    title: "Telegram",
    option: "TelegramOAuthEnabled",
    needs: ["TelegramBotToken", "TelegramBotName"],
    section: "telegram",
    hasCallback: false,
    status: { telegram_oauth: "TelegramOAuthEnabled", telegram_bot_name: "TelegramBotName" },
  },
} as const;

export type BuiltInWay = keyof typeof WAYS;
export const BUILT_IN_WAYS = Object.freeze(Object.keys(WAYS) as BuiltInWay[]);

export const isBuiltInWay = (way: string): way is BuiltInWay => Object.hasOwn(WAYS, way);

/**
 * Fields of a user's answers that say who they are at a site. For one release more they are columns of users too, which are written with
 * the rows of `identities` so that the version before can be started again. A way that is added needs none: the list of bindings has it.
 */
export const SUBJECT_FIELDS = {
  github: "github_id",
  oidc: "oidc_id",
  wechat: "wechat_id",
  telegram: "telegram_id",
  linuxdo: "linux_do_id",
} as const satisfies Partial<Record<BuiltInWay, string>>;
export type SubjectField = (typeof SUBJECT_FIELDS)[keyof typeof SUBJECT_FIELDS];
