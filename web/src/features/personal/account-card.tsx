/** Who one is here: name, number, role and group. */
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { isAdmin, isRoot } from "../../../../contract/src/roles.ts";
import { visible } from "../../lib/names.ts";
import { Copy } from "../../ui/display/copy.tsx";
import { Tag } from "../../ui/display/tags.tsx";
import { buttonLook } from "../../ui/plain.tsx";
import styles from "./account-card.module.css";
import type { Account } from "./queries.ts";

/** Nothing for an ordinary account. */
function RoleTag({ role }: { role: number }) {
  const { t } = useTranslation("personal");
  if (isRoot(role))
    return (
      <>
        <Tag tone="accent">{t("account.admin")}</Tag>
        <Tag tone="outline">{t("account.root")}</Tag>
      </>
    );
  return isAdmin(role) ? <Tag tone="outline">{t("account.manager")}</Tag> : null;
}

export function AccountCard({ account }: { account: Account }) {
  const { t } = useTranslation("personal");
  const name = visible(account.display_name || account.username);
  return (
    <section className={styles.card} aria-label={t("account.title")}>
      <span className={styles.face} aria-hidden>
        {[...name][0]?.toUpperCase()}
      </span>
      <div className={styles.words}>
        <h2 className={styles.name}>
          {name}
          <RoleTag role={account.role} />
        </h2>
        <p className={styles.facts}>
          <span>{visible(account.username)}</span>
          <span>{t("account.group", { group: visible(account.group) })}</span>
          <Copy text={String(account.id)} label={t("account.copyId")}>
            {t("account.id", { id: account.id })}
          </Copy>
        </p>
      </div>
      <Link to="/user/edit" {...buttonLook()}>
        {t("account.edit")}
      </Link>
    </section>
  );
}
