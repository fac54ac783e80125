/** Parts of single sections of the settings page beside their plain list of options. */
import { Link } from "@tanstack/react-router";
import { type ComponentType, createElement, use } from "react";
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

/**
 * One promise for all parts of a tab, which wait for it together. With a `lazy` for each, the rows of the whole tab would be rendered again
 * for every part that comes: 30 times for the tab System.
 */
let loadingSystem: Promise<SystemTab> | undefined;
const useSystemTab = (): SystemTab => use((loadingSystem ??= import("./system-tab.tsx")));
let loadingOther: Promise<OtherTab> | undefined;
const useOtherTab = (): OtherTab => use((loadingOther ??= import("./other-tab.tsx")));

const ofSystem = <Props extends object>(choose: (tab: SystemTab) => ComponentType<Props>): ComponentType<Props> =>
  function SystemPart(props) {
    return createElement(choose(useSystemTab()), props);
  };
const ofOther = <Props extends object>(choose: (tab: OtherTab) => ComponentType<Props>): ComponentType<Props> =>
  function OtherPart(props) {
    return createElement(choose(useOtherTab()), props);
  };

/** The callback address of a site that signs people in. */
const callback = (way: BuiltInWay) =>
  function CallbackPart() {
    return createElement(useSystemTab().Callback, { way });
  };
/** The test of a way of signing in. */
const test = (way: BuiltInWay) =>
  function TestPart({ draft }: { draft: SectionDraft }) {
    return createElement(useSystemTab().WayTest, { draft, way });
  };

/**
 * What stands before or after a section's options, and fields that replace the one of an option's kind. The first tab's come with the
 * page, those of the others with their tab.
 *
 * `draft.option("oidc.well_known")` gives what is stored (`row`), what is typed (`text`), and `set(text)`, which changes the draft alone;
 * nothing is stored before the administrator saves. `draft.save()` saves as the bar's button does. A field draws the control only, with
 * the given `id` and `aria-describedby`: label, help, errors and conflicts stand around it.
 *
 * @example smtp: { after: ofSystem((tab) => tab.MailTest) },
 * @example sign_in: { fields: { PasswordLoginEnabled: ofSystem((tab) => tab.PasswordLoginField) } },
 */
export const SECTION_PARTS: Partial<Record<OptionSection, SectionParts>> = {
  log: { after: LogPart },
  chats: { fields: { Chats: ChatsField } },
  payment: { before: ofSystem((tab) => tab.PaymentNote), after: ofSystem((tab) => tab.AfterPayment) },
  alipay: { before: ofSystem((tab) => tab.PaymentNote), after: ofSystem((tab) => tab.AfterAlipay) },
  wechat_pay: { before: ofSystem((tab) => tab.PaymentNote), after: ofSystem((tab) => tab.AfterWechatPay) },
  sign_in: { fields: { PasswordLoginEnabled: ofSystem((tab) => tab.PasswordLoginField) } },
  email_domains: { fields: { EmailDomainWhitelist: ofSystem((tab) => tab.EmailDomainsField) } },
  smtp: { after: ofSystem((tab) => tab.MailTest) },
  web_search: { after: ofSystem((tab) => tab.SearchTest) },
  ...Object.fromEntries(
    BUILT_IN_WAYS.filter((way) => WAYS[way].hasCallback).map((way) => [
      WAYS[way].section,
      { before: callback(way), after: test(way) },
    ]),
  ),
  oidc: {
    before: callback("oidc"),
    fields: { "oidc.well_known": ofSystem((tab) => tab.WellKnownField) },
    after: test("oidc"),
  },
  wechat: {
    before: ofSystem((tab) => tab.WechatHint),
    fields: { WeChatAccountQRCodeImageURL: ofSystem((tab) => tab.QrCodeField) },
    after: test("wechat"),
  },
  telegram: { before: ofSystem((tab) => tab.TelegramHint), after: test("telegram") },
  turnstile: { before: ofSystem((tab) => tab.TurnstileHint) },
  system_info: { before: ofOther((tab) => tab.SystemInfo) },
  notice: { fields: { Notice: ofOther((tab) => tab.ContentField) } },
  announcements: { fields: { "console_setting.announcements": ofOther((tab) => tab.RecordsField) } },
  faq: { fields: { "console_setting.faq": ofOther((tab) => tab.RecordsField) } },
  api_info: { fields: { "console_setting.api_info": ofOther((tab) => tab.RecordsField) } },
  legal: {
    fields: {
      "legal.user_agreement": ofOther((tab) => tab.ContentField),
      "legal.privacy_policy": ofOther((tab) => tab.ContentField),
    },
    after: ofOther((tab) => tab.Acceptances),
  },
  appearance: {
    fields: {
      Logo: ofOther((tab) => tab.LogoField),
      LogoDark: ofOther((tab) => tab.DarkLogoField),
      Favicon: ofOther((tab) => tab.FaviconField),
      HomePageContent: ofOther((tab) => tab.ContentField),
      About: ofOther((tab) => tab.ContentField),
      Footer: ofOther((tab) => tab.FooterField),
    },
  },
  bars: {
    fields: {
      HeaderNavModules: ofOther((tab) => tab.HeaderEntriesField),
      SidebarModulesAdmin: ofOther((tab) => tab.SidebarEntriesField),
    },
  },
};
