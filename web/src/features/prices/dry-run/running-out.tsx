/** Below the sums of a dry run: people whose balance would be used up within a week under the draft, and is not today. */
import { useTranslation } from "../../../lib/i18n.ts";
import type { DryRunResult } from "../../../../../contract/src/pricing/dry-run.ts";
import { formatDecimals, formatNumber } from "../../../lib/format.ts";
import { visible } from "../../../lib/names.ts";
import { Quota } from "../../../ui/display/quota.tsx";
import styles from "./dry-run.module.css";

type Person = DryRunResult["running_out"]["people"][number];

/** One decimal; of a balance that is there, "0.0 days" would say that it is not. */
const daysText = (days: number): string => (days < 0.05 ? `<${formatDecimals(0.1, 1)}` : formatDecimals(days, 1));

function PersonLine({ person: { name, id, balance, days_before: before, days_left: left } }: { person: Person }) {
  const { t } = useTranslation("prices");
  const values = { left: daysText(left), before: before === null ? "" : daysText(before) };
  return (
    <li className={styles.person}>
      <span className={styles.name}>{name === "" ? t("dryRun.gone", { id }) : visible(name)}</span>
      <Quota quota={balance} />
      <span className={styles.lasts}>
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
  const title = t("dryRun.runningOut.title", { count, formatted: formatNumber(count) });
  return (
    <details className={styles.runningOut}>
      <summary>{title}</summary>
      <p className={styles.faint}>{t("dryRun.runningOut.text")}</p>
      {/* The frame takes the focus, so that the keys reach a list that is longer than it. */}
      <div className={styles.peopleFrame} role="region" tabIndex={0} aria-label={title}>
        <ul className={styles.people}>
          {people.map((person) => (
            <PersonLine key={person.id} person={person} />
          ))}
        </ul>
      </div>
      {more > 0 && (
        <p className={styles.faint}>{t("dryRun.runningOut.more", { count: more, formatted: formatNumber(more) })}</p>
      )}
    </details>
  );
}
