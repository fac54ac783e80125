/** A user's usage in the last 30 days: sums, a bar for each day, and its models. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "../../../lib/i18n.ts";
import type { SiteOverview } from "../../../../../contract/src/features/dashboard.ts";
import type { Person } from "../../../../../contract/src/people.ts";
import { amountDecimals, formatDate, formatNumber, formatQuota, quotaToAmount } from "../../../lib/format.ts";
import { visible } from "../../../lib/names.ts";
import { Bar } from "../../../ui/charts/bars.tsx";
import { Card, Fact, Facts } from "../../../ui/display/card.tsx";
import { Quota } from "../../../ui/display/quota.tsx";
import { buttonLook } from "../../../ui/plain.tsx";
import { Loaded, Nothing } from "./parts.tsx";
import styles from "./person.module.css";
import { usageQuery } from "./queries.ts";

const sumsByDay = ({ buckets, models }: SiteOverview): number[] =>
  buckets.map((_, day) => models.reduce((sum, { series }) => sum + (series.quota[day] ?? 0), 0));

function Days({ usage }: { usage: SiteOverview }) {
  const { t } = useTranslation("users");
  const days = sumsByDay(usage);
  const most = Math.max(1, ...days);
  return (
    <ul className={styles.bars} aria-label={t("person.usage.byDay")}>
      {days.map((quota, day) => {
        const text = `${formatDate(usage.buckets[day] ?? 0)}: ${formatQuota(quota)}`;
        return (
          <li
            key={usage.buckets[day]}
            className={styles.bar}
            style={{ height: `${(quota / most) * 100}%` }}
            title={text}
            aria-label={text}
          />
        );
      })}
    </ul>
  );
}

function Models({ usage }: { usage: SiteOverview }) {
  const { t } = useTranslation("users");
  const amounts = usage.models.map(({ quota }) => quota);
  const most = Math.max(1, ...amounts);
  // The smallest amount says how many all of them have.
  const decimals = Math.max(0, ...amounts.map((quota) => amountDecimals(quotaToAmount(quota))));
  return (
    <ul className={styles.models}>
      {usage.models.map((model) => (
        <li key={model.model} className={styles.model}>
          <span className={`${styles.name} ${model.model === "" ? "" : "mono"}`} title={model.model}>
            {model.model === "" ? t("person.usage.others", { count: model.model_count }) : visible(model.model)}
          </span>
          <Bar share={model.quota / most} />
          <Quota quota={model.quota} decimals={decimals} />
        </li>
      ))}
    </ul>
  );
}

function Usage({ person, usage }: { person: Person; usage: SiteOverview }) {
  const { t } = useTranslation("users");
  const { totals } = usage;
  const tokens = totals.prompt_tokens + totals.completion_tokens;
  return (
    <>
      <Card
        title={t("person.usage.title")}
        action={
          <Link {...buttonLook()} to="/detail" search={{ username: person.username }}>
            {t("person.usage.dashboard")}
          </Link>
        }
      >
        <Facts>
          <Fact name={t("person.usage.spend")}>
            <Quota quota={totals.quota} />
          </Fact>
          <Fact name={t("columns.calls")}>{formatNumber(totals.requests)}</Fact>
          <Fact name={t("person.usage.tokens")}>{formatNumber(tokens)}</Fact>
        </Facts>
        {totals.requests === 0 ? <Nothing>{t("person.usage.nothing")}</Nothing> : <Days usage={usage} />}
      </Card>
      {totals.requests > 0 && (
        <Card title={t("person.usage.models")}>
          <Models usage={usage} />
        </Card>
      )}
    </>
  );
}

export function UsageTab({ person }: { person: Person }) {
  const query = useQuery(usageQuery(person.id, person.username));
  return <Loaded query={query}>{(usage) => <Usage person={person} usage={usage} />}</Loaded>;
}
