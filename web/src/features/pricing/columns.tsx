/** The columns of the price list: availability, name, billing, groups, ratios, prices. */
import { IconBan, IconCheck, IconCircleCheck } from "@tabler/icons-react";
import type { TFunction } from "i18next";
import { formatDecimals, formatNumber, formatRatio, formatShort } from "../../lib/format.ts";
import { visible } from "../../lib/names.ts";
import { Copy } from "../../ui/display/copy.tsx";
import type { Column } from "../../ui/data-table/columns.ts";
import type { Span } from "../../ui/data-table/table-props.ts";
import { ModelMark } from "../../ui/display/provider-mark.tsx";
import { Faint, ratioTone, Tag } from "../../ui/display/tags.tsx";
import type { PriceRow, PriceView } from "./model/price-list.ts";
import styles from "./pricing.module.css";
import { RatioHelp } from "./ratio-help.tsx";
import { AVAILABLE } from "./view.ts";

type Translate = TFunction<"pricing">;

/** Completion ratios have 3 decimals; zeros at their end say nothing. */
export const completionText = (ratio: number): string => `${formatDecimals(ratio, 3).replace(/\.?0+$/, "")}×`;

/** Digits of a ratio, without the sign: the column says what it is. */
const ratioText = (ratio: number): string => formatRatio(ratio).replace("×", "");

export function Availability({ row, t }: { row: PriceRow; t: Translate }) {
  if (row.price.kind === "none")
    return (
      <span className={styles.refused} title={t("noPrice")}>
        <IconBan size={16} stroke={1.8} aria-hidden />
        <span className="tp-visually-hidden">{t("noPrice")}</span>
      </span>
    );
  return row.isAvailable ? (
    <span className={styles.tick} title={t("available")}>
      <IconCheck size={16} stroke={2} aria-hidden />
      <span className="tp-visually-hidden">{t("available")}</span>
    </span>
  ) : (
    <span className={styles.noTick} title={t("notAvailable")}>
      –<span className="tp-visually-hidden">{t("notAvailable")}</span>
    </span>
  );
}

export const ModelName = ({ row, t, isIconShown = false }: { row: PriceRow; t: Translate; isIconShown?: boolean }) => (
  <Copy text={row.name} label={t("copyName")} isIconShown={isIconShown}>
    <span className={styles.model}>
      <ModelMark model={row.name} size={20} />
      <span className={`${styles.modelName} tp-name mono`}>{visible(row.name)}</span>
    </span>
  </Copy>
);

/** The groups that offer the model; a click shows the prices of that group. */
export function GroupTags({
  row,
  viewed,
  onGroup,
  t,
}: {
  row: PriceRow;
  viewed: string;
  onGroup: (group: string) => void;
  t: Translate;
}) {
  if (row.entry.enable_groups.length === 0) return <OtherGroups row={row} t={t} />;
  return (
    <span className={styles.groupTags}>
      {row.entry.enable_groups.map((group) => (
        <button
          key={group}
          type="button"
          className={styles.groupTag}
          data-is-viewed={group === viewed || undefined}
          title={group === viewed ? t("viewed") : t("viewGroup", { group })}
          onClick={() => onGroup(group)}
        >
          {visible(group)}
        </button>
      ))}
    </span>
  );
}

/** Who can use a model that the viewer cannot; visitors do not see it. */
function OtherGroups({ row, t }: { row: PriceRow; t: Translate }) {
  const groups = row.entry.other_groups ?? [];
  if (groups.length === 0) return <Faint>{t("otherGroups.some")}</Faint>;
  return (
    <span className={styles.second} title={t("otherGroups.only", { groups: groups.map(visible).join(t("comma")) })}>
      {t("otherGroups.only", { groups: groups.map(visible).join(t("comma")) })}
    </span>
  );
}

const Usd = ({ text, isStrong = false }: { text: string; isStrong?: boolean }) => (
  <span className={isStrong ? styles.strong : styles.usd}>${text}</span>
);

function priceCell(part: "input" | "cacheRead" | "output") {
  return (row: PriceRow) => {
    if (row.price.kind !== "tokens") return null;
    // A cached token that costs what any other costs is worth no look.
    const isSame = part === "cacheRead" && row.entry.cache_ratio === 1;
    return isSame ? <Faint>${row.price[part]}</Faint> : <Usd text={row.price[part]} isStrong={part !== "cacheRead"} />;
  };
}

const RatioCell = ({ row }: { row: PriceRow }) =>
  row.price.kind === "tokens" ? (
    <Tag tone={ratioTone(row.entry.model_ratio)}>{ratioText(row.entry.model_ratio)}</Tag>
  ) : null;

export interface PriceColumns {
  t: Translate;
  view: PriceView;
  onGroup: (group: string) => void;
}

export function priceColumns({ t, view, onGroup }: PriceColumns): Column<PriceRow>[] {
  const head = (text: string) => (
    <span className={styles.head}>
      {text} <RatioHelp view={view} />
    </span>
  );
  return [
    {
      id: AVAILABLE,
      header: t("columns.available"),
      drawnHeader: <AvailableHead text={t("columns.available")} />,
      sortBy: AVAILABLE,
      width: 52,
      cell: (row) => <Availability row={row} t={t} />,
    },
    { id: "model", header: t("columns.model"), width: 220, cell: (row) => <ModelName row={row} t={t} /> },
    {
      id: "billing",
      header: t("columns.billing"),
      width: 88,
      dropPriority: 3,
      cell: (row) => <span className={styles.second}>{t(`billing.${row.entry.quota_type}`)}</span>,
    },
    {
      id: "context",
      header: t("columns.context"),
      width: 84,
      isNumeric: true,
      dropPriority: 6,
      cell: (row) => row.entry.context_length !== undefined && <ContextLength tokens={row.entry.context_length} />,
    },
    {
      id: "groups",
      header: t("columns.groups"),
      width: 210,
      dropPriority: 2,
      cell: (row) => <GroupTags row={row} viewed={view.group} onGroup={onGroup} t={t} />,
    },
    {
      id: "ratio",
      header: t("columns.ratio"),
      drawnHeader: head(t("columns.ratio")),
      width: 84,
      isNumeric: true,
      dropPriority: 1,
      cell: (row) => <RatioCell row={row} />,
    },
    {
      id: "completion",
      header: t("columns.completion"),
      width: 100,
      isNumeric: true,
      dropPriority: 4,
      cell: (row) =>
        row.price.kind === "tokens" && (
          <span className={styles.second}>{completionText(row.entry.completion_ratio)}</span>
        ),
    },
    { id: "input", header: t("columns.input"), width: 92, isNumeric: true, cell: priceCell("input") },
    {
      id: "cached",
      header: t("columns.cached"),
      width: 112,
      isNumeric: true,
      dropPriority: 5,
      cell: priceCell("cacheRead"),
    },
    { id: "output", header: t("columns.output"), width: 92, isNumeric: true, cell: priceCell("output") },
  ];
}

/** "128k"; the exact number on hover. */
export const ContextLength = ({ tokens }: { tokens: number }) => (
  <span className={styles.second} title={formatNumber(tokens)}>
    {formatShort(tokens).replace(/\.0(?=\D)/, "")}
  </span>
);

const AvailableHead = ({ text }: { text: string }) => (
  <span className={styles.head} title={text}>
    <IconCircleCheck size={15} stroke={1.5} aria-hidden />
    <span className="tp-visually-hidden">{text}</span>
  </span>
);

/** A price of a call, or the words that there is none, stand across the columns of dollars. */
export function priceSpans(t: Translate, row: PriceRow): Span[] {
  if (row.price.kind === "tokens") return [];
  const content = row.price.kind === "none" ? <NoPrice t={t} /> : <CallPrice usd={row.price.call} t={t} />;
  return [{ from: "ratio", to: "output", content, isNumeric: true }];
}

export const NoPrice = ({ t }: { t: Translate }) => <span className={styles.refused}>{t("noPrice")}</span>;

export const CallPrice = ({ usd, t }: { usd: string; t: Translate }) => (
  <span className={styles.second}>
    <span className={styles.strong}>${usd}</span> {t("perCall")}
  </span>
);
