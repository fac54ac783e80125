/** The excluded channels, each with its reason, those nearest to the call first. */
import { useTranslation } from "react-i18next";
import type { RouteOut } from "../../../../contract/src/features/routing.ts";
import { ChannelName } from "./channel-name.tsx";
import { useReasonText } from "./reason-text.ts";
import styles from "./routing.module.css";

export function OutList({ out, total }: { out: readonly RouteOut[]; total: number }) {
  const { t } = useTranslation("routing");
  const reasonText = useReasonText();
  if (out.length === 0) return null;
  return (
    <section>
      <h2 className={styles.heading}>
        {t("out")} <span className={styles.quiet}>{t("channels", { count: total })}</span>
      </h2>
      <ul className={styles.outs}>
        {out.map((each) => (
          <li key={each.id} className={styles.outRow}>
            <span className={styles.name}>
              <ChannelName {...each} />
            </span>
            <span className={styles.reason}>{reasonText(each.reason)}</span>
          </li>
        ))}
      </ul>
      {total > out.length && <p className={styles.hint}>{t("more", { count: total - out.length })}</p>}
    </section>
  );
}
