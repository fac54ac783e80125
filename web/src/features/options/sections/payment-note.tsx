/** Says that payments need the address of this site first, and leads to it. */
import { useTranslation } from "react-i18next";
import { Notice } from "../../../ui/feedback/notice.tsx";
import { type SectionDraft, useSettings } from "../draft/settings.ts";
import styles from "./sections.module.css";

export function PaymentNote({ draft }: { draft: SectionDraft }) {
  const { t } = useTranslation("options");
  const { jump } = useSettings();
  if (draft.option("ServerAddress").text.trim() !== "") return null;
  return (
    <div className={styles.result}>
      <Notice tone="blue">
        {t("payment.addressFirst")}{" "}
        <button type="button" className={styles.link} onClick={() => jump("ServerAddress")}>
          {t("payment.toAddress")}
        </button>
      </Notice>
    </div>
  );
}
