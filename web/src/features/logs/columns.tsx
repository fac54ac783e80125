/** The log's columns, and the stretches of rows that have words instead of numbers. */
import { Tooltip } from "@mantine/core";
import { IconWaveSine } from "@tabler/icons-react";
import { type TFunction } from "../../lib/i18n.ts";
import { LOG_TYPE, SLOW_FIRST_TOKEN_SECONDS, SLOW_TOTAL_SECONDS } from "../../../../contract/src/constants.ts";
import { formatDateTime, formatDurationMs, formatNumber, formatShort, quotaToAmount } from "../../lib/format.ts";
import { visible } from "../../lib/names.ts";
import { Copy } from "../../ui/display/copy.tsx";
import type { Column } from "../../ui/data-table/columns.ts";
import type { Span } from "../../ui/data-table/table-props.ts";
import { Name } from "../../ui/display/name.tsx";
import { ModelMark } from "../../ui/display/provider-mark.tsx";
import { Quota } from "../../ui/display/quota.tsx";
import { Faint, Tag, type TagTone } from "../../ui/display/tags.tsx";
import { Time } from "../../ui/display/time.tsx";
import { eventText, eventTone } from "./model/event-text.ts";
import { cacheWritten, firstTokenMs, isCall, type LogRow, slowness, triedBefore } from "./model/log-row.ts";
import { receiptOf } from "./model/receipt.ts";
import { failureText } from "./model/words.ts";
import styles from "./logs.module.css";

type T = TFunction;

const TYPE_LOOKS: Readonly<Record<number, { name: string; tone: TagTone }>> = {
  [LOG_TYPE.topUp]: { name: "topUp", tone: "green" },
  [LOG_TYPE.admin]: { name: "admin", tone: "blue" },
  [LOG_TYPE.system]: { name: "system", tone: "neutral" },
  [LOG_TYPE.error]: { name: "error", tone: "red" },
};

/** Plain for usage, a tag for everything else. */
export function TypeOf({ row, t }: { row: LogRow; t: T }) {
  const look = TYPE_LOOKS[row.type];
  if (look === undefined) return <span className={styles.second}>{t("type.usage")}</span>;
  return (
    <span className={styles.tagPlace}>
      <Tag tone={look.tone}>{t(`type.${look.name}`)}</Tag>
    </span>
  );
}

/** What distinguishes a row: "gpt-5, Nov 21, 15:32:41". */
export const rowNameOf = (t: T, row: LogRow): string =>
  [row.model_name || t(`type.${TYPE_LOOKS[row.type]?.name ?? "usage"}`), formatDateTime(row.created_at)].join(
    t("comma"),
  );

/** More channels than this before the answer have no room beside its name: the tooltip and the receipt have them all. */
const MAX_CHAINED = 2;

/** "3 → ", "3 → 5 → ", "3 → … → ": what failed before the channel of the row. */
const chainText = (failed: readonly { id: number }[]): string =>
  [...(failed.length > MAX_CHAINED ? [failed[0]?.id, "…"] : failed.map(({ id }) => id)), ""].join(" → ");

/** "#7 Anthropic main", after "3 → " where channel 3 failed before it; a click copies the number. */
function ChannelOf({ row, t }: { row: LogRow; t: T }) {
  if (!row.channel) return <Faint>–</Faint>;
  const failed = triedBefore(receiptOf(row).tried);
  const copies = t("copyChannel", { channel: `#${row.channel} ${row.channel_name ?? ""}`.trim() });
  const names = failed.map(({ id, name }) => `#${id} ${name}`).join(t("comma"));
  return (
    <Copy
      text={String(row.channel)}
      label={failed.length === 0 ? copies : t("failedBefore", { names, copies })}
      isIconLate
    >
      <span className={styles.second}>
        {failed.length > 0 && <Faint>{chainText(failed)}</Faint>}#{row.channel} <Name text={row.channel_name ?? ""} />
      </span>
    </Copy>
  );
}

export function ModelOf({ row, t }: { row: LogRow; t: T }) {
  if (row.model_name === "") return <Faint>–</Faint>;
  const { is_model_mapped, upstream_model_name } = receiptOf(row);
  const sentAs = is_model_mapped && upstream_model_name ? upstream_model_name : undefined;
  return (
    <Tooltip label={sentAs === undefined ? visible(row.model_name) : t("mapped", { from: row.model_name, to: sentAs })}>
      <span className={styles.model}>
        <ModelMark model={row.model_name} />
        <span className={styles.modelName}>
          <code>
            <Name text={row.model_name} />
          </code>
          {sentAs !== undefined && <code className={styles.sentAs}> → {visible(sentAs)}</code>}
        </span>
      </span>
    </Tooltip>
  );
}

/** Seconds, plain until they are slow; a 0 was never measured. */
function Seconds({ ms, limits }: { ms: number | undefined; limits: readonly [number, number] }) {
  if (!ms) return <Faint>–</Faint>;
  return (
    <span className={styles.seconds} data-slow={slowness(ms, limits)}>
      {formatDurationMs(ms)}
    </span>
  );
}

export const Took = ({ row }: { row: LogRow }) => <Seconds ms={row.use_time_ms} limits={SLOW_TOTAL_SECONDS} />;

function FirstToken({ row, t }: { row: LogRow; t: T }) {
  return (
    <span className={styles.first}>
      {row.is_stream && (
        <Tooltip label={t("streamed")}>
          <IconWaveSine size={13} stroke={1.5} className={styles.streamMark} role="img" aria-label={t("streamed")} />
        </Tooltip>
      )}
      <Seconds ms={firstTokenMs(row)} limits={SLOW_FIRST_TOKEN_SECONDS} />
    </span>
  );
}

/** More digits than this have no room in their column: they are read in full on hover. */
const FULL_COUNT_BELOW = 1_000_000;

const countText = (value: number): string => (value < FULL_COUNT_BELOW ? formatNumber(value) : formatShort(value));

function Count({ value }: { value: number }) {
  if (value === 0) return <Faint>0</Faint>;
  if (value < FULL_COUNT_BELOW) return formatNumber(value);
  return (
    <Tooltip label={formatNumber(value)}>
      <span>{countText(value)}</span>
    </Tooltip>
  );
}

function InputOf({ row, t }: { row: LogRow; t: T }) {
  const receipt = receiptOf(row);
  const { cache_tokens = 0 } = receipt;
  const written = cacheWritten(receipt);
  if (cache_tokens === 0 && written === 0) return <Count value={row.prompt_tokens} />;
  const lines = [
    row.prompt_tokens >= FULL_COUNT_BELOW && formatNumber(row.prompt_tokens),
    cache_tokens > 0 && t("cacheRead", { formatted: formatNumber(cache_tokens) }),
    written > 0 && t("cacheWritten", { formatted: formatNumber(written) }),
  ];
  return (
    <Tooltip label={lines.filter(Boolean).join(", ")}>
      <span className={styles.hinted}>{row.prompt_tokens === 0 ? <Faint>0</Faint> : countText(row.prompt_tokens)}</span>
    </Tooltip>
  );
}

/** Decimals of an amount from so many units of the currency on: what a call costs has six, what its column has no room for fewer. */
const COST_DECIMALS = [
  { from: 100_000, decimals: 0 },
  { from: 1000, decimals: 2 },
] as const;

const costDecimals = (quota: number, usual: number): number =>
  COST_DECIMALS.find(({ from }) => Math.abs(quotaToAmount(quota)) >= from)?.decimals ?? usual;

export function CostOf({ row }: { row: LogRow }) {
  if (row.type === LOG_TYPE.topUp)
    return row.quota === 0 ? null : (
      <span className={styles.credit}>
        {row.quota > 0 && "+"}
        <Quota quota={row.quota} decimals={costDecimals(row.quota, 2)} />
      </span>
    );
  if (row.type === LOG_TYPE.error) return <Faint>–</Faint>;
  if (!isCall(row)) return null;
  return (
    <span className={row.quota === 0 ? styles.noCost : styles.cost}>
      <Quota quota={row.quota} decimals={costDecimals(row.quota, 6)} />
    </span>
  );
}

const Word = ({ text }: { text: string }) =>
  text === "" ? (
    <Faint>–</Faint>
  ) : (
    <Tooltip label={visible(text)}>
      <span className={styles.clipped}>
        <Name text={text} />
      </span>
    </Tooltip>
  );

interface LogColumnOptions {
  isAdmin: boolean;
  /** The clock time says enough. */
  isOneDay: boolean;
  onUser: (row: LogRow) => void;
}

/** All columns in their order; those of who was behind a call and of its channel are for administrators. */
export function logColumns(t: T, options: LogColumnOptions): Column<LogRow>[] {
  return [...callColumns(t, options), ...measureColumns(t)];
}

/** When, who, and what was called. */
function callColumns(t: T, { isAdmin, isOneDay, onUser }: LogColumnOptions): Column<LogRow>[] {
  const time: Column<LogRow> = {
    id: "time",
    header: t("column.time"),
    width: isOneDay ? 78 : 140,
    cell: (row) => <Time atS={row.created_at} as={isOneDay ? "clock" : "full"} />,
  };
  const user: Column<LogRow> = {
    id: "user",
    header: t("column.user"),
    width: 104,
    dropPriority: 4,
    cell: (row) =>
      row.username === "" ? (
        <Faint>–</Faint>
      ) : (
        <Tooltip label={t("person.open", { name: row.username })}>
          <button
            type="button"
            className={styles.user}
            aria-label={t("person.open", { name: row.username })}
            onClick={() => onUser(row)}
          >
            <Name text={row.username} />
          </button>
        </Tooltip>
      ),
  };
  const channel: Column<LogRow> = {
    id: "channel",
    header: t("column.channel"),
    width: 164,
    dropPriority: 6,
    cell: (row) => <ChannelOf row={row} t={t} />,
  };
  return [
    time,
    { id: "type", header: t("column.type"), width: 68, dropPriority: 5, cell: (row) => <TypeOf row={row} t={t} /> },
    ...(isAdmin ? [user] : []),
    {
      id: "token",
      header: t("column.token"),
      width: 116,
      dropPriority: 3,
      cell: (row) => <Word text={row.token_name} />,
    },
    {
      id: "group",
      header: t("column.group"),
      width: 90,
      dropPriority: 12,
      isOffAtFirst: true,
      cell: (row) => (row.group === "" ? <Faint>–</Faint> : <Tag tone="outline">{visible(row.group)}</Tag>),
    },
    ...(isAdmin ? [channel] : []),
    { id: "model", header: t("column.model"), width: 202, cell: (row) => <ModelOf row={row} t={t} /> },
  ];
}

/** How long, how much, and what it cost. */
function measureColumns(t: T): Column<LogRow>[] {
  return [
    {
      id: "took",
      header: t("column.took"),
      width: 72,
      isNumeric: true,
      dropPriority: 2,
      cell: (row) => <Took row={row} />,
    },
    {
      id: "first",
      header: t("column.first"),
      width: 102,
      isNumeric: true,
      dropPriority: 7,
      cell: (row) => <FirstToken row={row} t={t} />,
    },
    {
      id: "input",
      header: t("column.input"),
      width: 74,
      isNumeric: true,
      dropPriority: 1,
      cell: (row) => <InputOf row={row} t={t} />,
    },
    {
      id: "output",
      header: t("column.output"),
      width: 70,
      isNumeric: true,
      dropPriority: 1,
      cell: (row) => <Count value={row.completion_tokens} />,
    },
    {
      id: "ip",
      header: t("column.ip"),
      width: 120,
      dropPriority: 11,
      isOffAtFirst: true,
      cell: (row) => (row.ip === "" ? <Faint>–</Faint> : <span className="number">{row.ip}</span>),
    },
    { id: "cost", header: t("column.cost"), width: 106, isNumeric: true, cell: (row) => <CostOf row={row} /> },
  ];
}

/** Failed calls say why where others have numbers; entries that are no calls have a sentence. */
export function logSpans(t: T, row: LogRow): Span[] {
  if (row.type === LOG_TYPE.error) {
    const text = failureText(t, row);
    return [
      {
        from: "took",
        to: "output",
        content: (
          <Tooltip label={visible(row.content) || text}>
            <span className={styles.failure}>{text}</span>
          </Tooltip>
        ),
      },
    ];
  }
  if (isCall(row)) return [];
  return [
    {
      from: "token",
      to: "output",
      content: (
        <Tooltip label={visible(eventText(t, row))} multiline maw={420}>
          <span className={styles.sentence} data-tone={eventTone(row)}>
            {visible(eventText(t, row))}
          </span>
        </Tooltip>
      ),
    },
  ];
}
