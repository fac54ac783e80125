/** One of the earlier price tables: since when it was in force, how it differs from now, and the way back to it. */
import { useTranslation } from "../../../lib/i18n.ts";
import type { PriceTablesVersion } from "../../../../../contract/src/pricing/price-changes.ts";
import { formatDateTime, formatNumber } from "../../../lib/format.ts";
import { BusyButton } from "../../../ui/busy-button.tsx";
import { Tag } from "../../../ui/display/tags.tsx";
import { confirm } from "../../../ui/feedback/confirm.ts";
import { Notice } from "../../../ui/feedback/notice.tsx";
import styles from "./changes.module.css";
import { useRestoreVersion } from "./queries.ts";

/** @param onBack its prices are in force again */
export function VersionLine({ version, onBack }: { version: PriceTablesVersion; onBack: () => void }) {
  const { t } = useTranslation("prices");
  const restore = useRestoreVersion();
  const { id, created_time, is_in_force, differing_models: models, differing_groups: groups } = version;
  const difference = [
    ...(models === 0 ? [] : [t("changes.modelsDiffer", { count: models, formatted: formatNumber(models) })]),
    ...(groups === 0 ? [] : [t("changes.groupsDiffer", { count: groups, formatted: formatNumber(groups) })]),
  ].join(", ");
  const back = async () => {
    const question = {
      title: t("changes.backTitle", { id }),
      text: t("changes.backText", { difference }),
      action: t("changes.back"),
      tone: "plain",
    } as const;
    if (await confirm(question)) restore.mutate(id, { onSuccess: onBack });
  };
  return (
    <li className={styles.line}>
      <span className={styles.what}>
        {t("changes.version", { id, time: formatDateTime(created_time) })}{" "}
        <span className={styles.faint}>{difference === "" ? t("changes.same") : difference}</span>
      </span>
      {is_in_force ? (
        <Tag tone="green">{t("changes.inForce")}</Tag>
      ) : (
        difference !== "" && (
          <BusyButton size="xs" isBusy={restore.isPending} onClick={() => void back()}>
            {t("changes.back")}
          </BusyButton>
        )
      )}
      {restore.error !== null && <Notice tone="red">{restore.error.message}</Notice>}
    </li>
  );
}
