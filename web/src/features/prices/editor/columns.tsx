/** The columns of the price table: where a price comes from, and what each kind of use costs in dollars. */
import { type TFunction } from "../../../lib/i18n.ts";
import type { PriceRow } from "../../../../../contract/src/features/prices.ts";
import type { Part } from "../../../../../contract/src/pricing/pricing.ts";
import { visible } from "../../../lib/names.ts";
import type { Column } from "../../../ui/data-table/columns.ts";
import { RowCard, RowCardHead } from "../../../ui/data-table/row-card.tsx";
import type { Span } from "../../../ui/data-table/table-props.ts";
import { Faint, Tag, type TagTone } from "../../../ui/display/tags.tsx";
import { ModelMark } from "../../../ui/display/provider-mark.tsx";
import { ManagedSign, useMark } from "../../../ui/managed.tsx";
import { marginOf } from "../model/margin.ts";
import { differs, priceOf, usdOf } from "../model/rows.ts";
import { completionShown, dollars } from "../model/units.ts";
import styles from "./editor.module.css";
import { costText, UpstreamCosts } from "./upstream-costs.tsx";

export type Translate = TFunction;

/** Props of a cell besides its row. */
export interface PriceCells {
  t: Translate;
  quotaPerUnit: string;
  open: (row: PriceRow) => void;
}

const ORIGIN_TONES: Readonly<Record<PriceRow["origin"], TagTone>> = { own: "accent", list: "neutral", none: "amber" };

export function Origin({ row, t }: { row: PriceRow; t: Translate }) {
  return (
    <span className={styles.origin}>
      <Tag tone={ORIGIN_TONES[row.origin]}>{t(`common.origin.${row.origin}`)}</Tag>
      {row.origin === "own" && differs(row) && (
        <span className={styles.differs} title={t("editor.differsFromList")}>
          ≠<span className="tp-visually-hidden">{t("editor.differsFromList")}</span>
        </span>
      )}
    </span>
  );
}

function ModelName({ row, cells: { t, open } }: { row: PriceRow; cells: PriceCells }) {
  const mark = useMark("price", row.model);
  return (
    <span className={styles.modelAndSign}>
      <button type="button" className={styles.model} onClick={() => open(row)} title={t("editor.edit")}>
        <ModelMark model={row.model} size={18} />
        <span className={`${styles.modelName} tp-name mono`}>{visible(row.model)}</span>
      </button>
      <ManagedSign mark={mark} />
    </span>
  );
}

/** Six digits say enough in a table; the drawer has all of them. */
const shortened = (usd: string): string => {
  const [whole = "0", decimals = ""] = usd.split(".");
  return decimals.length <= 6 ? usd : `${whole}.${decimals.slice(0, 6)}…`;
};

const Usd = ({ usd }: { usd: string }) => (
  <span title={shortened(usd) === usd ? undefined : dollars(usd)}>
    {dollars(shortened(usd)).replace(/(…)0+$/, "$1")}
  </span>
);

/** Dollars with the ratio small below. */
function Priced({ usd, ratio }: { usd: string; ratio: string }) {
  return (
    <span className={styles.priced}>
      <b>
        <Usd usd={usd} />
      </b>
      <small>{ratio}×</small>
    </span>
  );
}

const ratioShown = (ratio: string): string => (ratio.length > 8 ? `${ratio.slice(0, 7)}…` : ratio);

function InputCell({ row, quotaPerUnit }: { row: PriceRow; quotaPerUnit: string }) {
  const usd = usdOf(row, "input", quotaPerUnit);
  const price = priceOf(row.price);
  if (usd === undefined || price?.kind !== "per_token") return null;
  return <Priced usd={usd} ratio={ratioShown(price.ratio)} />;
}

function OutputCell({ row, quotaPerUnit }: { row: PriceRow; quotaPerUnit: string }) {
  const usd = usdOf(row, "output", quotaPerUnit);
  const price = priceOf(row.price);
  if (usd === undefined || price?.kind !== "per_token") return null;
  return <Priced usd={usd} ratio={completionShown(price.completionRatio)} />;
}

/** A part that costs what plain input costs is worth no look. */
const partCell = (part: Part, quotaPerUnit: string) =>
  function PartCell(row: PriceRow) {
    const usd = usdOf(row, part, quotaPerUnit);
    if (usd === undefined) return null;
    return usd === usdOf(row, "input", quotaPerUnit) ? (
      <Faint>
        <Usd usd={usd} />
      </Faint>
    ) : (
      <Usd usd={usd} />
    );
  };

const percent = (share: number): string => `${share < 0 ? "−" : ""}${Math.abs(share)}%`;

/** The margin at the dearest and the cheapest channel, with their costs on hover. */
function MarginCell({ row, cells: { t, quotaPerUnit } }: { row: PriceRow; cells: PriceCells }) {
  const margin = marginOf(row, quotaPerUnit);
  if (margin === undefined) return null;
  const { worst, best, costs } = margin;
  return (
    <span className={worst < 0 ? styles.loss : undefined} title={costs.map((cost) => costText(t, cost)).join("\n")}>
      {worst === best ? percent(worst) : t("editor.marginRange", { worst: percent(worst), best: percent(best) })}
    </span>
  );
}

const PARTS = [
  { id: "cacheRead", dropPriority: 2, sortBy: "cacheRead" },
  { id: "cacheWrite", dropPriority: 4 },
  { id: "cacheWriteLong", dropPriority: 7, isOffAtFirst: true },
  { id: "imageInput", dropPriority: 6 },
  { id: "audioInput", dropPriority: 5 },
  { id: "audioOutput", dropPriority: 5 },
] as const satisfies readonly { id: Part; dropPriority: number; sortBy?: string; isOffAtFirst?: boolean }[];

const isUsual = (price: string): boolean => price === "10" || price === "0";

export function priceColumns(cells: PriceCells): Column<PriceRow>[] {
  const { t, quotaPerUnit } = cells;
  return [
    {
      id: "model",
      header: t("editor.column.model"),
      sortBy: "model",
      width: 210,
      cell: (row) => <ModelName row={row} cells={cells} />,
    },
    { id: "origin", header: t("editor.column.origin"), width: 96, cell: (row) => <Origin row={row} t={t} /> },
    {
      id: "input",
      header: t("common.part.input"),
      sortBy: "input",
      width: 92,
      isNumeric: true,
      cell: (row) => <InputCell row={row} quotaPerUnit={quotaPerUnit} />,
    },
    {
      id: "output",
      header: t("common.part.output"),
      sortBy: "output",
      width: 92,
      isNumeric: true,
      cell: (row) => <OutputCell row={row} quotaPerUnit={quotaPerUnit} />,
    },
    ...PARTS.map(({ id, ...rest }): Column<PriceRow> => ({
      id,
      ...rest,
      header: t(`common.part.${id}`),
      width: 92,
      isNumeric: true,
      cell: partCell(id, quotaPerUnit),
    })),
    {
      id: "call",
      header: t("common.perCall"),
      sortBy: "call",
      width: 92,
      isNumeric: true,
      dropPriority: 3,
      cell: (row) =>
        row.price?.kind === "per_call" ? <b className={styles.strong}>{dollars(row.price.price)}</b> : null,
    },
    {
      id: "margin",
      header: t("editor.column.margin"),
      width: 116,
      isNumeric: true,
      dropPriority: 3,
      cell: (row) => <MarginCell row={row} cells={cells} />,
    },
    {
      id: "search",
      header: t("editor.column.search"),
      width: 104,
      isNumeric: true,
      dropPriority: 8,
      cell: ({ tools }) =>
        isUsual(tools.web_search) ? <Faint>{dollars(tools.web_search)}</Faint> : dollars(tools.web_search),
    },
  ];
}

/** The text in place of token prices of a model without them. */
export const priceSpans =
  (t: Translate) =>
  (row: PriceRow): readonly Span[] => {
    if (row.price === null)
      return [{ from: "input", to: "audioOutput", content: <Faint>{t("editor.noPrice")}</Faint> }];
    return [];
  };

/** A model on a phone: name, where its price comes from, what it costs. */
export function PriceCard({ row, cells, menu }: { row: PriceRow; cells: PriceCells; menu: React.ReactNode }) {
  const { t, quotaPerUnit } = cells;
  const price = priceOf(row.price);
  const usd = (part: Part) => dollars(shortened(usdOf(row, part, quotaPerUnit) ?? "0"));
  return (
    <RowCard>
      <RowCardHead state={<Origin row={row} t={t} />} menu={menu}>
        <ModelName row={row} cells={cells} />
      </RowCardHead>
      <div className={styles.cardPrices}>
        {price === undefined && <Faint>{t("editor.noPrice")}</Faint>}
        {price?.kind === "per_call" && (
          <span>
            <b>{dollars(price.price)}</b> {t("editor.card.perCall")}
          </span>
        )}
        {price?.kind === "per_token" && (
          <>
            <span>
              <b>{usd("input")}</b> {t("editor.card.in")}
            </span>
            <span>
              <b>{usd("output")}</b> {t("editor.card.out")}
            </span>
            <span>
              {usd("cacheRead")} {t("editor.card.cache")}
            </span>
          </>
        )}
      </div>
      <UpstreamCosts row={row} quotaPerUnit={quotaPerUnit} />
    </RowCard>
  );
}
