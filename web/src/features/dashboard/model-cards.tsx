/** Share by model as a ring with its ranked list, and calls by model as bars. */
import { useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { formatNumber } from "../../lib/format.ts";
import { Bar, Swatch } from "../../ui/charts/bars.tsx";
import { Donut } from "../../ui/charts/donut.tsx";
import styles from "./dashboard.module.css";
import { ModelLink } from "../../ui/display/name.tsx";
import { LogLink, useOpen } from "./log-link.tsx";
import { barShares, type ModelSeries, rankedBy } from "./model/chart-data.ts";
import { readTogether, roundedText, sharesOf } from "./model/figures.ts";
import type { Measure } from "./model/view.ts";

interface ShareCardProps {
  series: readonly ModelSeries[];
  measure: Measure;
  /** "30 days". */
  span: string;
  /** Where the figure of a model leads, and undefined for the sum of the others. */
  hrefOf: HrefOf;
}

type HrefOf = (series: ModelSeries) => string | undefined;

/** The name of a model, which leads to its page; not that of the sum of others. */
function ModelName({ each, hrefOf }: { each: ModelSeries; hrefOf: HrefOf }) {
  return (
    <span className={`${styles.modelName} mono`} title={each.name}>
      {hrefOf(each) === undefined ? each.name : <ModelLink model={each.name} />}
    </span>
  );
}

export function ShareCard({ series, measure, span, hrefOf }: ShareCardProps) {
  const { t } = useTranslation("dashboard");
  const open = useOpen();
  const [active, setActive] = useState<string>();
  const ranked = rankedBy(series, ({ total }) => total);
  const totals = ranked.map(({ total }) => total);
  const shares = sharesOf(totals);
  const { parts } = readTogether(totals, measure);
  const at = ranked.findIndex(({ id }) => id === active);
  const sum = totals.reduce((all, value) => all + value, 0);
  return (
    <section className={styles.card} aria-labelledby="dashboard-share">
      <header className={styles.cardHead}>
        <h2 id="dashboard-share" className={styles.cardTitle}>
          {t(`share.${measure}`)}
        </h2>
      </header>
      <div className={styles.share}>
        <Donut
          slices={ranked.map((each) => ({ ...each, value: each.total, href: hrefOf(each) }))}
          onOpen={open}
          label={t(`share.${measure}`)}
          amount={at === -1 ? roundedText(sum, measure) : (parts[at] ?? "")}
          caption={at === -1 ? span : (ranked[at]?.name ?? "")}
          active={at === -1 ? undefined : active}
          onPoint={setActive}
        />
        {sum === 0 && <p className={styles.noneBeside}>{t("chart.nothing")}</p>}
        <ol className={styles.shareList} hidden={sum === 0}>
          {ranked.map((each, index) => (
            <li key={each.id} onPointerEnter={() => setActive(each.id)} onPointerLeave={() => setActive(undefined)}>
              <Swatch color={each.color} />
              <ModelName each={each} hrefOf={hrefOf} />
              <span className={styles.number}>
                <LogLink href={hrefOf(each)}>{shares[index]}</LogLink>
              </span>
            </li>
          ))}
        </ol>
      </div>
    </section>
  );
}

export function CallsCard({ series, hrefOf }: { series: readonly ModelSeries[]; hrefOf: HrefOf }) {
  const { t } = useTranslation("dashboard");
  const ranked = rankedBy(series, ({ requests }) => requests);
  const bars = barShares(ranked);
  const sum = ranked.reduce((all, { requests }) => all + requests, 0);
  return (
    <section className={styles.card} aria-labelledby="dashboard-calls">
      <header className={styles.cardHead}>
        <h2 id="dashboard-calls" className={styles.cardTitle}>
          {t("calls.title")}
        </h2>
        <span className={styles.headNumber}>{formatNumber(sum)}</span>
      </header>
      {sum === 0 && <p className={styles.none}>{t("chart.nothing")}</p>}
      <ol className={styles.bars} hidden={sum === 0}>
        {ranked.map((each) => (
          <li key={each.id}>
            <ModelName each={each} hrefOf={hrefOf} />
            {bars.has(each.id) ? <Bar share={bars.get(each.id) ?? 0} color={each.color} /> : <span />}
            <span className={styles.number}>
              <LogLink href={hrefOf(each)}>{formatNumber(each.requests)}</LogLink>
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
