/** The list of built-in sign-in providers with an authorization code, one file each. WeChat and Telegram have none and are handled in routes.ts. */
import type { OptionValues } from "../../../../../contract/src/options/options.ts";
import type { BuiltInWay } from "../../../../../contract/src/ways-in.ts";
import { dingtalk } from "./dingtalk.ts";
import { discord } from "./discord.ts";
import { github } from "./github.ts";
import { lark } from "./lark.ts";
import { linuxdo } from "./linuxdo.ts";
import type { OidcSettings } from "./oidc.ts";
import type { CodeProvider } from "./provider.ts";

/** A provider of OpenID Connect; its library is loaded with the first sign-in. */
export const oidcOf = async (settings: OidcSettings): Promise<CodeProvider> =>
  (await import("./oidc.ts")).oidcProvider(settings);

const oidc = async (options: OptionValues): Promise<CodeProvider> =>
  oidcOf((await import("./oidc.ts")).oidcOfOptions(options));

type Open = (options: OptionValues) => CodeProvider | Promise<CodeProvider>;

export const CODE_PROVIDERS: Readonly<Partial<Record<BuiltInWay, Open>>> = {
  github: () => github,
  oidc,
  discord: () => discord,
  linuxdo: () => linuxdo,
  lark: () => lark,
  dingtalk: () => dingtalk,
};
