/** A token on a phone: name and status, key and group, what remains of how much, what was used and when. */
import { useTranslation } from "react-i18next";
import type { ReactNode } from "react";
import type { GroupEntries } from "../../../../contract/src/features/groups.ts";
import type { TokenRow } from "../../../../contract/src/features/tokens.ts";
import { formatQuota, formatWhen } from "../../lib/format.ts";
import { useStatus } from "../../lib/status.ts";
import { RowCard, RowCardAmount, RowCardHead, RowCardLine } from "../../ui/data-table/row-card.tsx";
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
    <RowCardLine>
      {token.unlimited_quota ? (
        <RowCardAmount>{t("unlimited")}</RowCardAmount>
      ) : (
        <span>
          <RowCardAmount>{formatQuota(token.remain_quota)}</RowCardAmount>{" "}
          <span className={styles.faint}>{t("card.of", { total })}</span>
        </span>
      )}
      <span className={styles.faint}>{when || used}</span>
    </RowCardLine>
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
    <RowCard>
      <RowCardHead state={<TokenStatus status={token.status} />} menu={menu}>
        <TokenName token={token} isWhole />
      </RowCardHead>
      <RowCardLine>
        <TokenKey token={token} isIconShown />
        <TokenGroup token={token} groups={groups} />
      </RowCardLine>
      {!token.unlimited_quota && <QuotaBar remaining={token.remain_quota} used={token.used_quota} isWide />}
      <Amounts token={token} />
    </RowCard>
  );
}
