/** A redemption code on a phone: name and status, the code and its quota, who used it and when. */
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { RedemptionRow } from "../../../../contract/src/features/redemptions.ts";
import { Quota } from "../../ui/display/quota.tsx";
import { Time } from "../../ui/display/time.tsx";
import { CodeKey, CodeName, CodeStatus, UsedBy } from "./columns.tsx";
import styles from "./redemptions.module.css";

/** `menu` is the row's ⋯. */
export function CodeCard({ code, menu }: { code: RedemptionRow; menu: ReactNode }) {
  const { t } = useTranslation("redemptions");
  return (
    <div className={styles.card}>
      <div className={styles.cardRow}>
        <CodeName code={code} />
        <span className={styles.cardEnd}>
          <CodeStatus status={code.status} />
          {menu}
        </span>
      </div>
      <div className={styles.cardRow}>
        <CodeKey code={code} isIconShown />
        <span className={styles.amount}>
          <Quota quota={code.quota} />
        </span>
      </div>
      <div className={`${styles.cardRow} ${styles.faint}`}>
        {code.used_user_id === 0 ? (
          <span>
            {t("card.created")} <Time atS={code.created_time} />
          </span>
        ) : (
          <span className={styles.usedBy}>
            {t("card.usedBy")} <UsedBy code={code} />
          </span>
        )}
        {code.redeemed_time > 0 && <Time atS={code.redeemed_time} />}
      </div>
    </div>
  );
}
