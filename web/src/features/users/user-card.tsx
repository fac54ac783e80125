/** A user on a phone: name, role and status, group, what is left of how much, calls. */
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { ManagedUser } from "../../../../contract/src/features/users.ts";
import { formatQuota } from "../../lib/format.ts";
import { useStatus } from "../../lib/status.ts";
import { Name } from "../../ui/display/name.tsx";
import { RowCard, RowCardAmount, RowCardHead, RowCardLine } from "../../ui/data-table/row-card.tsx";
import { QuotaBar } from "../../ui/display/quota.tsx";
import { Tag } from "../../ui/display/tags.tsx";
import { UserCalls, UserName, UserRole, UserStatus } from "./columns.tsx";
import styles from "./users.module.css";

/** `menu` is the row's ⋯. */
export function UserCard({ user, menu }: { user: ManagedUser; menu: ReactNode }) {
  const { t } = useTranslation("users");
  useStatus();
  return (
    <RowCard>
      <RowCardHead state={<UserStatus user={user} />} menu={menu}>
        <UserName user={user} />
      </RowCardHead>
      <RowCardLine>
        <span className={styles.tags}>
          <UserRole role={user.role} />
          <Tag tone="outline">
            <Name text={user.group} />
          </Tag>
        </span>
        <span className={styles.second}>
          {t("card.calls")} <UserCalls user={user} />
        </span>
      </RowCardLine>
      <QuotaBar remaining={user.quota} used={user.used_quota} isWide />
      <RowCardLine>
        <RowCardAmount>
          {t(user.quota < 0 ? "card.owed" : "card.left", { amount: formatQuota(Math.abs(user.quota)) })}
        </RowCardAmount>
        <span className={styles.second}>{t("card.used", { amount: formatQuota(user.used_quota) })}</span>
      </RowCardLine>
    </RowCard>
  );
}
