/** Links to the user agreement and the privacy policy, those that the site has, for the forms by which people accept them. */
import { Fragment } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { useStatus } from "../../lib/status.ts";

/** They open beside the form, so that nothing typed is lost. */
export function TermsLinks() {
  const { t } = useTranslation("ui");
  const site = useStatus();
  const links = [
    ...(site.user_agreement_enabled ? [{ href: "/user-agreement", text: t("terms.agreement") }] : []),
    ...(site.privacy_policy_enabled ? [{ href: "/privacy-policy", text: t("terms.privacy") }] : []),
  ];
  return links.map(({ href, text }, index) => (
    <Fragment key={href}>
      {index > 0 && t("terms.and")}
      <a href={href} target="_blank" rel="noopener">
        {text}
      </a>
    </Fragment>
  ));
}
