/** Below the sums of a dry run: people whose balance would be used up within a week under the draft, and is not today. */
import { useTranslation } from "../../../lib/i18n.ts";
import type { DryRunResult } from "../../../../../contract/src/pricing/dry-run.ts";
import { formatDecimals, formatNumber } from "../../../lib/format.ts";
import { visible } from "../../../lib/names.ts";
import { Quota } from "../../../ui/display/quota.tsx";
import styles from "./dry-run.module.css";

type Person = DryRunResult["running_out"]["people"][number];

function PersonLine({ person: { name, id, balance, days_before: before, days_left: left } }: { person: Person }) {
  const { t } = useTranslation("prices");
  const values = { left: formatDecimals(left, 1), before: before === null ? "" : formatDecimals(before, 1) };
  return (
    <li className={styles.person}>
      <span className={styles.name}>{name === "" ? t("dryRun.gone", { id }) : visible(name)}</span>
      <Quota quota={balance} />
      <span className={styles.faint}>
        {t(before === null ? "dryRun.runningOut.lastsNew" : "dryRun.runningOut.lasts", values)}
      </span>
    </li>
  );
}

/** Nothing where there are none. */
export function RunningOut({ found: { count, people } }: { found: DryRunResult["running_out"] }) {
  const { t } = useTranslation("prices");
  if (count === 0) return null;
  const more = count - people.length;
  return (
    <details className={styles.runningOut}>
      <summary>{t("dryRun.runningOut.title", { count, formatted: formatNumber(count) })}</summary>
      <p className={styles.faint}>{t("dryRun.runningOut.text")}</p>
      <ul className={styles.people}>
        {people.map((person) => (
          <PersonLine key={person.id} person={person} />
        ))}
      </ul>
      {more > 0 && (
        <p className={styles.faint}>{t("dryRun.runningOut.more", { count: more, formatted: formatNumber(more) })}</p>
      )}
    </details>
  );
}
