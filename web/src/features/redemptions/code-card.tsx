/** A redemption code on a phone: name and status, the code and its quota, who used it and when. */
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { RedemptionRow } from "../../../../contract/src/features/redemptions.ts";
import { RowCard, RowCardAmount, RowCardHead, RowCardLine } from "../../ui/data-table/row-card.tsx";
import { Quota } from "../../ui/display/quota.tsx";
import { Time } from "../../ui/display/time.tsx";
import { CodeKey, CodeName, CodeStatus, UsedBy } from "./columns.tsx";
import styles from "./redemptions.module.css";

/** `menu` is the row's ⋯. */
export function CodeCard({ code, menu }: { code: RedemptionRow; menu: ReactNode }) {
  const { t } = useTranslation("redemptions");
  return (
    <RowCard>
      <RowCardHead state={<CodeStatus status={code.status} />} menu={menu}>
        <CodeName code={code} />
      </RowCardHead>
      <RowCardLine>
        <CodeKey code={code} isIconShown />
        <RowCardAmount>
          <Quota quota={code.quota} />
        </RowCardAmount>
      </RowCardLine>
      <RowCardLine isFaint>
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
      </RowCardLine>
    </RowCard>
  );
}
