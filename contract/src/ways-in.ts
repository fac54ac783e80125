/** The ways of signing in with an account of another site that every installation knows: their switches, and where their subjects are kept. */

/** Each by its name in addresses: the option that switches it on, and the column of users that holds who somebody is there. */
export const BUILT_IN_WAYS = {
  github: { option: "GitHubOAuthEnabled", column: "github_id" },
  oidc: { option: "oidc.enabled", column: "oidc_id" },
  linuxdo: { option: "LinuxDOOAuthEnabled", column: "linux_do_id" },
  wechat: { option: "WeChatAuthEnabled", column: "wechat_id" },
  telegram: { option: "TelegramOAuthEnabled", column: "telegram_id" },
} as const;

export type BuiltInWay = keyof typeof BUILT_IN_WAYS;

export const isBuiltInWay = (way: string): way is BuiltInWay => Object.hasOwn(BUILT_IN_WAYS, way);
