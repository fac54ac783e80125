/** The address that Stripe reports payments to, to be entered there. */
import { useTranslation } from "react-i18next";
import { AddressToCopy } from "../../../ui/identities/callback-address.tsx";
import type { SectionDraft } from "../draft/settings.ts";
import styles from "./sections.module.css";

export function StripeWebhook({ draft }: { draft: SectionDraft }) {
  const { t } = useTranslation("options");
  const site = draft.option("ServerAddress").text.trim().replace(/\/+$/, "");
  if (site === "") return null;
  return (
    <div className={styles.result}>
      <AddressToCopy
        address={`${site}/api/stripe/webhook`}
        label={t("payment.webhook")}
        copyLabel={t("payment.copyWebhook")}
        help={t("payment.webhookHelp")}
      />
    </div>
  );
}
