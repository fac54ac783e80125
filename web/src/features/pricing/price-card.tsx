/** A model on a phone: name, availability, prices, ratios and groups. */
import { useTranslation } from "react-i18next";
import { formatRatio } from "../../lib/format.ts";
import { ratioTone, Tag } from "../../ui/display/tags.tsx";
import { Availability, CallPrice, completionText, ContextLength, GroupTags, ModelName, NoPrice } from "./columns.tsx";
import type { PriceRow, PriceView } from "./model/price-list.ts";
import styles from "./pricing.module.css";

function Prices({ row, view }: { row: PriceRow; view: PriceView }) {
  const { t } = useTranslation("pricing");
  if (row.price.kind === "none") return <NoPrice t={t} />;
  if (row.price.kind === "call") return <CallPrice usd={row.price.call} t={t} />;
  const { input, cacheRead, output } = row.price;
  const ratios = t("card.ratios", {
    completion: completionText(row.entry.completion_ratio),
    group: formatRatio(view.groupRatio),
  });
  return (
    <>
      <dl className={styles.cardPrices}>
        {[
          { name: t("columns.input"), usd: input },
          { name: t("columns.cached"), usd: cacheRead },
          { name: t("columns.output"), usd: output },
        ].map(({ name, usd }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>${usd}</dd>
          </div>
        ))}
      </dl>
      <div className={styles.cardRatios}>
        <Tag tone={ratioTone(row.entry.model_ratio)}>{formatRatio(row.entry.model_ratio)}</Tag> {ratios}
      </div>
    </>
  );
}

export function PriceCard({
  row,
  view,
  onGroup,
  onOpen,
}: {
  row: PriceRow;
  view: PriceView;
  onGroup: (group: string) => void;
  onOpen: () => void;
}) {
  const { t } = useTranslation("pricing");
  return (
    <div className={styles.card}>
      <div className={styles.cardTop}>
        <ModelName row={row} t={t} isIconShown />
        <Availability row={row} t={t} />
      </div>
      <Prices row={row} view={view} />
      {row.entry.context_length !== undefined && (
        <div className={styles.cardRatios}>
          {t("columns.context")} <ContextLength tokens={row.entry.context_length} />
        </div>
      )}
      <div className={styles.cardTop}>
        <GroupTags row={row} viewed={view.group} onGroup={onGroup} t={t} />
        <button type="button" className={styles.more} onClick={onOpen}>
          {t("details")}
          <span className="tp-visually-hidden">: {row.name}</span>
        </button>
      </div>
    </div>
  );
}
