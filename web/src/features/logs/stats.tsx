/** Spend of the range and the rates of the last minute, right of the title. */
import { Tooltip } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { LogStat } from "../../../../contract/src/features/logs.ts";
import { formatNumber, formatShort } from "../../lib/format.ts";
import { Quota } from "../../ui/quota.tsx";
import styles from "./logs.module.css";

const Stat = ({ label, children }: { label: string; children: ReactNode }) => (
  <div className={styles.stat}>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
);

const Short = ({ label, value }: { label: string; value: number }) => (
  <Tooltip label={`${formatNumber(value)} ${label}`}>
    <span>{formatShort(value)}</span>
  </Tooltip>
);

/** `stat` is undefined until it was loaded once; its place is kept. */
export function Stats({ stat }: { stat: LogStat | undefined }) {
  const { t } = useTranslation("logs");
  const none = <span className={styles.noStat}>–</span>;
  return (
    <dl className={styles.stats}>
      <Stat label={t("stats.spend")}>
        {stat === undefined ? (
          none
        ) : (
          <span className={stat.quota === 0 ? styles.noStat : styles.money}>
            <Quota quota={stat.quota} />
          </span>
        )}
      </Stat>
      <Stat label={t("stats.rpm")}>
        {stat === undefined ? none : <Short label={t("stats.rpmLong")} value={stat.rpm} />}
      </Stat>
      <Stat label={t("stats.tpm")}>
        {stat === undefined ? none : <Short label={t("stats.tpmLong")} value={stat.tpm} />}
      </Stat>
    </dl>
  );
}
