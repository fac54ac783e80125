/** The columns of the price list: availability, name, billing, groups, ratios, prices. */
import { IconArrowUpRight, IconBan, IconCheck, IconCircleCheck } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { type TFunction } from "../../lib/i18n.ts";
import { formatDecimals, formatDurationMs, formatNumber, formatRatio, formatShort } from "../../lib/format.ts";
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

type Translate = TFunction;

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

/** The day on which the model is taken off. */
const Retires = ({ row, t }: { row: PriceRow; t: Translate }) => {
  const { expiration_date: day } = row.entry;
  return day === undefined ? null : <Tag tone="orange">{t("retires", { day })}</Tag>;
};

/** The name, which copies itself, and the way to the model's page. */
export const ModelName = ({
  row,
  view,
  t,
  isIconShown = false,
}: {
  row: PriceRow;
  view: PriceView;
  t: Translate;
  isIconShown?: boolean;
}) => (
  <span className={styles.nameCell}>
    <Copy text={row.name} label={t("copyName")} isIconShown={isIconShown}>
      <span className={styles.model}>
        <ModelMark model={row.name} size={20} />
        <span className={`${styles.modelName} tp-name mono`}>{visible(row.name)}</span>
      </span>
    </Copy>
    <Retires row={row} t={t} />
    <Link
      className={`${styles.page} tp-on-hover`}
      to="/models/$name"
      params={{ name: row.name }}
      search={{ group: view.group }}
      aria-label={t("pageOf", { model: row.name })}
      title={t("openPage")}
    >
      <IconArrowUpRight size={15} stroke={1.5} aria-hidden />
    </Link>
  </span>
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
  /** False for visitors. */
  hasSpeeds: boolean;
  /** False where the site does not publish which models are used most. */
  hasUses: boolean;
  /** Its column stays, however little room there is. */
  sortedBy: string | undefined;
}

const kept = ({ dropPriority: _dropPriority, ...column }: Column<PriceRow>): Column<PriceRow> => column;

const firstTokenColumn = (t: Translate): Column<PriceRow> => ({
  id: "firstToken",
  header: t("columns.firstToken"),
  sortBy: "firstToken",
  width: 116,
  isNumeric: true,
  dropPriority: 7,
  cell: ({ firstTokenMs: ms }) =>
    ms === undefined ? <Faint>–</Faint> : <span className={styles.second}>~{formatDurationMs(ms)}</span>,
});

const shareColumn = (t: Translate): Column<PriceRow> => ({
  id: "use",
  header: t("columns.use"),
  sortBy: "use",
  width: 104,
  isNumeric: true,
  dropPriority: 8,
  cell: ({ usePermille: share }) =>
    share === undefined ? <Faint>–</Faint> : <span className={styles.second}>{formatDecimals(share / 10, 1)}%</span>,
});

export function priceColumns({ sortedBy, ...wanted }: PriceColumns): Column<PriceRow>[] {
  return allColumns(wanted).map((column) =>
    column.sortBy !== undefined && column.sortBy === sortedBy ? kept(column) : column,
  );
}

/** Dollars for 1M tokens. */
const dollarColumns = (t: Translate): Column<PriceRow>[] => [
  {
    id: "input",
    header: t("columns.input"),
    sortBy: "input",
    width: 92,
    isNumeric: true,
    cell: priceCell("input"),
  },
  {
    id: "cached",
    header: t("columns.cached"),
    width: 112,
    isNumeric: true,
    dropPriority: 5,
    cell: priceCell("cacheRead"),
  },
  {
    id: "output",
    header: t("columns.output"),
    sortBy: "output",
    width: 92,
    isNumeric: true,
    cell: priceCell("output"),
  },
];

function allColumns({ t, view, onGroup, hasSpeeds, hasUses }: Omit<PriceColumns, "sortedBy">): Column<PriceRow>[] {
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
    { id: "model", header: t("columns.model"), width: 220, cell: (row) => <ModelName row={row} view={view} t={t} /> },
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
      sortBy: "context",
      width: 92,
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
    ...dollarColumns(t),
    ...(hasSpeeds ? [firstTokenColumn(t)] : []),
    ...(hasUses ? [shareColumn(t)] : []),
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
