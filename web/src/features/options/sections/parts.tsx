/** Parts of single sections of the settings page beside their plain list of options. */
import { Link } from "@tanstack/react-router";
import { type ComponentType, createElement, lazy } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import { BUILT_IN_WAYS, type BuiltInWay, WAYS } from "../../../../../contract/src/ways-in.ts";
import type { OptionSection } from "../../../../../contract/src/options/sections.ts";
import type { FieldProps, SectionDraft } from "../draft/settings.ts";
import { ChatsField } from "../fields/chats-field.tsx";
import type * as otherTab from "./other-tab.tsx";
import type * as systemTab from "./system-tab.tsx";
import { buttonLook } from "../../../ui/plain.tsx";
import styles from "./sections.module.css";

/** Leads to the one dialog that deletes old log entries. */
function LogPart() {
  const { t } = useTranslation("options");
  return (
    <div className={styles.row}>
      <div>
        <div className={styles.label}>{t("log.clear")}</div>
        <p className={styles.help}>{t("log.clearHelp")}</p>
      </div>
      <Link to="/log" search={{ open: "clear" }} {...buttonLook()}>
        {t("log.open")}
      </Link>
    </div>
  );
}

export type SectionPart = ComponentType<{ draft: SectionDraft }>;
export type OptionControl = ComponentType<FieldProps>;

export interface SectionParts {
  before?: SectionPart;
  after?: SectionPart;
  fields?: Readonly<Record<string, OptionControl>>;
}

type SystemTab = typeof systemTab;
type OtherTab = typeof otherTab;

const ofSystem = <Name extends Exclude<keyof SystemTab, "Callback" | "WayTest">>(name: Name) =>
  lazy(async () => ({ default: (await import("./system-tab.tsx"))[name] }));

/** The callback address of a site that signs people in. */
const callback = (way: BuiltInWay) =>
  lazy(async () => {
    const { Callback } = await import("./system-tab.tsx");
    return { default: () => createElement(Callback, { way }) };
  });
/** The test of a way of signing in. */
const test = (way: BuiltInWay) =>
  lazy(async () => {
    const { WayTest } = await import("./system-tab.tsx");
    return { default: (props: { draft: SectionDraft }) => createElement(WayTest, { ...props, way }) };
  });
const ofOther = <Name extends keyof OtherTab>(name: Name) =>
  lazy(async () => ({ default: (await import("./other-tab.tsx"))[name] }));

/**
 * What stands before or after a section's options, and fields that replace the one of an option's kind. The first tab's come with the
 * page, those of the others with their tab.
 *
 * `draft.option("oidc.well_known")` gives what is stored (`row`), what is typed (`text`), and `set(text)`, which changes the draft alone;
 * nothing is stored before the administrator saves. `draft.save()` saves as the bar's button does. A field draws the control only, with
 * the given `id` and `aria-describedby`: label, help, errors and conflicts stand around it.
 *
 * @example oidc: { before: lazy(async () => ({ default: (await import("./oidc-discovery.tsx")).OidcDiscovery })) },
 * @example sign_in: { fields: { PasswordLoginEnabled: lazy(...) } },
 */
export const SECTION_PARTS: Partial<Record<OptionSection, SectionParts>> = {
  log: { after: LogPart },
  chats: { fields: { Chats: ChatsField } },
  payment: { before: ofSystem("PaymentNote"), after: ofSystem("AfterPayment") },
  alipay: { before: ofSystem("PaymentNote"), after: ofSystem("AfterAlipay") },
  wechat_pay: { before: ofSystem("PaymentNote"), after: ofSystem("AfterWechatPay") },
  sign_in: { fields: { PasswordLoginEnabled: ofSystem("PasswordLoginField") } },
  email_domains: { fields: { EmailDomainWhitelist: ofSystem("EmailDomainsField") } },
  smtp: { after: ofSystem("MailTest") },
  web_search: { after: ofSystem("SearchTest") },
  ...Object.fromEntries(
    BUILT_IN_WAYS.filter((way) => WAYS[way].hasCallback).map((way) => [
      WAYS[way].section,
      { before: callback(way), after: test(way) },
    ]),
  ),
  oidc: {
    before: callback("oidc"),
    fields: { "oidc.well_known": ofSystem("WellKnownField") },
    after: test("oidc"),
  },
  wechat: {
    before: ofSystem("WechatHint"),
    fields: { WeChatAccountQRCodeImageURL: ofSystem("QrCodeField") },
    after: test("wechat"),
  },
  telegram: { before: ofSystem("TelegramHint"), after: test("telegram") },
  turnstile: { before: ofSystem("TurnstileHint") },
  system_info: { before: ofOther("SystemInfo") },
  notice: { fields: { Notice: ofOther("ContentField") } },
  announcements: { fields: { "console_setting.announcements": ofOther("RecordsField") } },
  faq: { fields: { "console_setting.faq": ofOther("RecordsField") } },
  api_info: { fields: { "console_setting.api_info": ofOther("RecordsField") } },
  legal: {
    fields: { "legal.user_agreement": ofOther("ContentField"), "legal.privacy_policy": ofOther("ContentField") },
    after: ofOther("Acceptances"),
  },
  appearance: {
    fields: {
      Logo: ofOther("LogoField"),
      LogoDark: ofOther("DarkLogoField"),
      Favicon: ofOther("FaviconField"),
      HomePageContent: ofOther("ContentField"),
      About: ofOther("ContentField"),
      Footer: ofOther("FooterField"),
    },
  },
  bars: {
    fields: {
      HeaderNavModules: ofOther("HeaderEntriesField"),
      SidebarModulesAdmin: ofOther("SidebarEntriesField"),
    },
  },
};
