/** The statement of a month: the opening balance, every change with the balance after it, its sums; as a file, and on paper. */
import { Button } from "@mantine/core";
import { IconChevronLeft, IconChevronRight, IconDownload, IconPrinter } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { StatementLine, StatementLines } from "../../../../contract/src/payments/statement.ts";
import { saveFile } from "../../lib/download.ts";
import { formatNumber } from "../../lib/format.ts";
import { language, useTranslation } from "../../lib/i18n.ts";
import { useSearchState } from "../../lib/search.ts";
import { useStatus } from "../../lib/status.ts";
import { useViewer } from "../../lib/viewer.ts";
import { CardGhost, CardPlace, Fact, Facts } from "../../ui/display/card.tsx";
import { ErrorState, NotRefreshed } from "../../ui/feedback/empty.tsx";
import { Page } from "../../ui/page.tsx";
import { IconButton } from "../../ui/plain.tsx";
import { statementQuery } from "./queries.ts";
import { statementSearch } from "./route.ts";
import { Amount, decimalsOf } from "./statement-amount.tsx";
import { monthAfter, statementCsv, statementTotals } from "./statement-csv.ts";
import styles from "./statement.module.css";

const glyph = { size: 16, stroke: 1.5 } as const;

const locale = (): string => (language() === "zh" ? "zh-CN" : "en-US");

/** Months and days are those of the site's zone: their names are read from the text, not from a moment. */
const monthName = (month: string): string =>
  new Intl.DateTimeFormat(locale(), { year: "numeric", month: "long", timeZone: "UTC" }).format(
    Date.parse(`${month}-01`),
  );
const dayName = (day: string): string =>
  new Intl.DateTimeFormat(locale(), { month: "short", day: "numeric", timeZone: "UTC" }).format(Date.parse(day));

const presentMonth = (): string => new Date().toISOString().slice(0, 7);
const isPresent = (month: string): boolean => month >= presentMonth();

/** The subject of a line, as a link: the calls of the day in the log, the order. */
function What({ line }: { line: StatementLine }) {
  const { t } = useTranslation("wallet");
  const { kind, count, time, until, reference, order_id } = line;
  const name = t(`statement.kinds.${kind}`, { count, formatted: formatNumber(count) });
  if (kind === "calls")
    return (
      <Link
        className={styles.link}
        to="/log"
        search={{ type: "2", start_timestamp: String(time), end_timestamp: String(until - 1) }}
      >
        {name}
      </Link>
    );
  return (
    <>
      <span>{name}</span>
      {order_id > 0 ? (
        <Link className={`${styles.reference} ${styles.link} mono`} to="/topup" search={{ order: order_id }}>
          {reference}
        </Link>
      ) : (
        reference !== "" && <span className={`${styles.reference} mono`}>{reference}</span>
      )}
    </>
  );
}

interface SheetPartProps {
  statement: StatementLines;
  /** Of every amount. */
  decimals: number;
}

function Lines({ statement, decimals }: SheetPartProps) {
  const { t } = useTranslation("wallet");
  const balanceRow = (name: string, quota: number) => (
    <tr className={styles.balance}>
      <td />
      <th scope="row">{name}</th>
      <td />
      <td>
        <Amount quota={quota} decimals={decimals} />
      </td>
    </tr>
  );
  return (
    <table className={styles.lines}>
      <caption className="tp-visually-hidden">{t("statement.title")}</caption>
      <thead>
        <tr>
          <th scope="col">{t("statement.columns.day")}</th>
          <th scope="col">{t("statement.columns.what")}</th>
          <th scope="col">{t("statement.columns.change")}</th>
          <th scope="col">{t("statement.columns.balance")}</th>
        </tr>
      </thead>
      <tbody>
        {balanceRow(t("statement.opening"), statement.opening)}
        {statement.lines.map((line, index) => (
          <tr key={`${line.time} ${line.kind} ${index}`}>
            <td>{dayName(line.day)}</td>
            <td className={styles.what}>
              <What line={line} />
            </td>
            <td data-is-up={line.quota > 0 || undefined}>
              <Amount quota={line.quota} decimals={decimals} isChange />
            </td>
            <td data-label={t("statement.columns.balance")}>
              <Amount quota={line.balance} decimals={decimals} />
            </td>
          </tr>
        ))}
        {balanceRow(t("statement.closing"), statement.closing)}
      </tbody>
    </table>
  );
}

function Sums({ statement, decimals }: SheetPartProps) {
  const { t } = useTranslation("wallet");
  const { topUps, credits, refunds, calls } = statementTotals(statement.lines);
  const facts = { opening: statement.opening, topUps, credits, refunds, calls, closing: statement.closing };
  return (
    <div className={styles.sums}>
      <Facts>
        {Object.entries(facts).map(([name, quota]) => (
          <Fact key={name} name={t(`statement.${name}`)}>
            <Amount quota={quota} decimals={decimals} isChange={name !== "opening" && name !== "closing"} />
          </Fact>
        ))}
      </Facts>
    </div>
  );
}

/** The whole as it is printed: whose it is and of when, the sums, the lines. */
function Sheet({ statement }: { statement: StatementLines }) {
  const { t } = useTranslation("wallet");
  const viewer = useViewer();
  const { system_name } = useStatus();
  const decimals = decimalsOf(statement);
  return (
    <section className={`tp-printed ${styles.sheet}`} aria-labelledby="statement-month">
      <header className={styles.head}>
        <h2 id="statement-month">{monthName(statement.month)}</h2>
        <span>
          {system_name} · {viewer?.username} · {t("statement.zone", { zone: statement.time_zone })}
        </span>
      </header>
      <Sums statement={statement} decimals={decimals} />
      {statement.lines.length === 0 && <p className={styles.hint}>{t("statement.none")}</p>}
      {statement.is_grouped && <p className={styles.hint}>{t("statement.grouped")}</p>}
      <Lines statement={statement} decimals={decimals} />
      <p className={styles.hint}>{t("statement.sentence")}</p>
    </section>
  );
}

/** Steps from month to month; none is after the present one. */
function Months({
  month,
  onChange,
  children,
}: {
  month: string;
  onChange: (month: string) => void;
  /** Right of them. */
  children: ReactNode;
}) {
  const { t } = useTranslation("wallet");
  const isLast = isPresent(month);
  return (
    <div className={styles.months}>
      <IconButton label={t("statement.earlier")} onClick={() => onChange(monthAfter(month, -1))}>
        <IconChevronLeft {...glyph} />
      </IconButton>
      <b aria-live="polite">{monthName(month)}</b>
      <IconButton
        label={t("statement.later")}
        aria-disabled={isLast || undefined}
        onClick={() => {
          if (!isLast) onChange(monthAfter(month, 1));
        }}
      >
        <IconChevronRight {...glyph} />
      </IconButton>
      {children}
    </div>
  );
}

/** Height of the sheet while it is waited for, or did not come. */
const SHEET_PX = 420;

export function StatementPage() {
  const { t } = useTranslation("wallet");
  const [search, change] = useSearchState(statementSearch);
  const query = useQuery(statementQuery(search.month));
  const statement = query.data;
  const save = (shown: StatementLines) =>
    saveFile(new Blob([statementCsv(shown)], { type: "text/csv" }), `statement-${shown.month}.csv`);
  return (
    <Page
      title={t("statement.title")}
      purpose={t("statement.purpose")}
      actions={
        statement && (
          <>
            <Button leftSection={<IconDownload {...glyph} />} onClick={() => save(statement)}>
              {t("statement.csv")}
            </Button>
            <Button leftSection={<IconPrinter {...glyph} />} onClick={() => print()}>
              {t("statement.print")}
            </Button>
          </>
        )
      }
    >
      <div className={styles.page}>
        {/* Also while it loads, and where it failed: another month is the way out. */}
        <Months month={statement?.month ?? search.month ?? presentMonth()} onChange={(month) => change({ month })}>
          {query.isRefetchError && <NotRefreshed onRetry={() => void query.refetch()} />}
        </Months>
        {query.isPending && <CardGhost heightPx={SHEET_PX} />}
        {query.isError && statement === undefined && (
          <CardPlace heightPx={SHEET_PX}>
            <ErrorState title={t("statement.notLoaded")} error={query.error} onRetry={() => void query.refetch()} />
          </CardPlace>
        )}
        {statement && <Sheet statement={statement} />}
      </div>
    </Page>
  );
}
