/** A token on a phone: name and status, key and group, what remains of how much, what was used and when. */
import { useTranslation } from "react-i18next";
import type { ReactNode } from "react";
import type { GroupEntries } from "../../../../contract/src/features/groups.ts";
import type { TokenRow } from "../../../../contract/src/features/tokens.ts";
import { formatQuota, formatWhen } from "../../lib/format.ts";
import { useStatus } from "../../lib/status.ts";
import { QuotaBar } from "../../ui/display/quota.tsx";
import { TokenGroup, TokenKey, TokenName, TokenStatus } from "./columns.tsx";
import styles from "./tokens.module.css";

function Amounts({ token }: { token: TokenRow }) {
  const { t } = useTranslation("tokens");
  useStatus();
  const used = t("card.used", { amount: formatQuota(token.used_quota) });
  const when = token.accessed_time === 0 ? "" : t("card.usedAt", { used, when: formatWhen(token.accessed_time) });
  const total = formatQuota(Math.max(0, token.remain_quota) + token.used_quota);
  return (
    <div className={styles.cardRow}>
      {token.unlimited_quota ? (
        <span className={styles.cardAmount}>{t("unlimited")}</span>
      ) : (
        <span>
          <span className={styles.cardAmount}>{formatQuota(token.remain_quota)}</span>{" "}
          <span className={styles.faint}>{t("card.of", { total })}</span>
        </span>
      )}
      <span className={styles.faint}>{when || used}</span>
    </div>
  );
}

/** `menu` is the row's ⋯. */
export function TokenCard({
  token,
  groups,
  menu,
}: {
  token: TokenRow;
  groups: GroupEntries | undefined;
  menu: ReactNode;
}) {
  return (
    <div className={styles.tokenCard}>
      <div className={styles.cardRow}>
        <TokenName token={token} isWhole />
        <span className={styles.cardEnd}>
          <TokenStatus status={token.status} />
          {menu}
        </span>
      </div>
      <div className={styles.cardRow}>
        <TokenKey token={token} isIconShown />
        <TokenGroup token={token} groups={groups} />
      </div>
      {!token.unlimited_quota && <QuotaBar remaining={token.remain_quota} used={token.used_quota} isWide />}
      <Amounts token={token} />
    </div>
  );
}
