/** The details of a log row: the price step by step, the channels tried, the usage as the upstream sent it; or the failure. */
import { IconAlertTriangle } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { LOG_TYPE } from "../../../../contract/src/constants.ts";
import { CodeBlock, CopyWord } from "../../ui/display/code-block.tsx";
import { Copy } from "../../ui/display/copy.tsx";
import { formatExact, formatDurationMs } from "../../lib/format.ts";
import { visible } from "../../lib/names.ts";
import { compactJson, curlOf } from "./model/curl.ts";
import { isCall, type LogRow, taskLog } from "./model/log-row.ts";
import { type Receipt, receiptOf, type TestLine } from "./model/receipt.ts";
import { ruleText } from "./model/words.ts";
import { MarginLines, PriceLines } from "./price-lines.tsx";
import { AdvicePart } from "./advice.tsx";
import styles from "./receipt.module.css";
import { ChannelsTried, TimeSpent } from "./waterfall.tsx";
import { ModelLink, Name } from "../../ui/display/name.tsx";
import { eventText, eventTone } from "./model/event-text.ts";

const ClientName = lazy(async () => ({ default: (await import("./client.tsx")).ClientName }));

/** The sentence. */
function EventSentence({ row }: { row: LogRow }) {
  const { t } = useTranslation("logs");
  return (
    <p className={styles.message} data-tone={eventTone(row)}>
      {visible(eventText(t, row))}
    </p>
  );
}

function TestRow({ test }: { test: TestLine }) {
  const { t } = useTranslation("logs");
  return (
    <tr>
      <th scope="row">
        #{test.id} <Name text={test.name} />
      </th>
      <td>{formatDurationMs(test.ms)}</td>
      <td className={test.failure === "" ? styles.quiet : styles.failed}>
        {test.failure === "" ? t("receipt.testPassed") : visible(test.failure)}
      </td>
    </tr>
  );
}

/** Every channel of a run, those that failed first. */
function TestList({ receipt }: { receipt: Receipt }) {
  const { t } = useTranslation("logs");
  const { tests, event } = receipt;
  const tested = event?.code === "channels_tested" ? event.values.count : tests.length;
  return (
    <>
      <table className={styles.tests} aria-label={t("receipt.tests")}>
        <thead>
          <tr>
            <th scope="col">{t("column.channel")}</th>
            <th scope="col">{t("column.took")}</th>
            <th scope="col">{t("receipt.testResult")}</th>
          </tr>
        </thead>
        <tbody>
          {tests.map((test) => (
            <TestRow key={test.id} test={test} />
          ))}
        </tbody>
      </table>
      {tested > tests.length && (
        <p className={styles.note}>{t("receipt.testsCut", { count: tested - tests.length })}</p>
      )}
    </>
  );
}

/** Notes on this charge beside its numbers. */
function useNotes(receipt: Receipt): string[] {
  const { t } = useTranslation("logs");
  return [
    ...(receipt.is_test ? [t("note.test")] : []),
    ...(receipt.rule ? [ruleText(t, receipt.rule)] : []),
    ...(receipt.estimated ? [t("note.estimated")] : []),
    ...(receipt.unpriced ? [t("note.unpriced")] : []),
    ...(receipt.usage_faults?.length ? [t("note.faults", { faults: receipt.usage_faults.join(", ") })] : []),
    ...(receipt.warnings ?? []).map((warning) => t("note.warning", { warning })),
  ];
}

function Notes({ notes }: { notes: readonly string[] }) {
  if (notes.length === 0) return null;
  return (
    <ul className={styles.notes}>
      {notes.map((note) => (
        <li key={note}>
          <IconAlertTriangle size={14} stroke={1.5} aria-hidden />
          <span>{visible(note)}</span>
        </li>
      ))}
    </ul>
  );
}

const InfoRow = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className={styles.infoRow}>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

/** The id to find the call by, and what else is known of it. */
function CallInfo({ row, receipt }: { row: LogRow; receipt: Receipt }) {
  const { t } = useTranslation("logs");
  const upstreamId = receipt.tried.at(-1)?.upstreamRequestId;
  const sentAs = receipt.is_model_mapped ? receipt.upstream_model_name : undefined;
  return (
    <>
      {row.request_id !== "" && (
        <div className={styles.requestId}>
          <Copy text={row.request_id} label={t("receipt.copyRequestId")} isIconShown>
            <code>{row.request_id}</code>
          </Copy>
        </div>
      )}
      <dl className={styles.info}>
        <InfoRow name={t("column.time")}>{formatExact(row.created_at)}</InfoRow>
        {row.model_name !== "" && (
          <InfoRow name={t("column.model")}>
            <ModelLink model={row.model_name} />
          </InfoRow>
        )}
        {sentAs && (
          <InfoRow name={t("receipt.sentAs")}>
            <code>{visible(sentAs)}</code>
          </InfoRow>
        )}
        {receipt.reasoning_effort && <InfoRow name={t("receipt.effort")}>{receipt.reasoning_effort}</InfoRow>}
        {row.group !== "" && <InfoRow name={t("column.group")}>{visible(row.group)}</InfoRow>}
        {row.ip !== "" && <InfoRow name={t("column.ip")}>{row.ip}</InfoRow>}
        {upstreamId !== undefined && (
          <InfoRow name={t("receipt.upstreamRequest")}>
            <Copy text={upstreamId} label={t("receipt.copyUpstreamRequest")} isIconShown>
              <code>{visible(upstreamId)}</code>
            </Copy>
          </InfoRow>
        )}
        {receipt.client && (
          <InfoRow name={t("filter.client")}>
            <Link className={styles.taskLink} to="/log" search={{ client: receipt.client }}>
              <Suspense fallback={receipt.client}>
                <ClientName id={receipt.client} />
              </Suspense>
            </Link>
          </InfoRow>
        )}
        {receipt.endpoint && (
          <InfoRow name={t("receipt.endpoint")}>
            <code>{visible(receipt.endpoint)}</code>
          </InfoRow>
        )}
      </dl>
      <TaskLink row={row} receipt={receipt} />
      {isCall(row) && <CurlCopy row={row} receipt={receipt} />}
    </>
  );
}

/** The way to the drawing, song or video that the row is about. */
function TaskLink({ row, receipt }: { row: LogRow; receipt: Receipt }) {
  const { t } = useTranslation("logs");
  const values: Readonly<Record<string, unknown>> = receipt.event?.values ?? {};
  const to = taskLog(receipt.endpoint, values["platform"]);
  if (to === undefined || row.request_id === "") return null;
  return (
    <Link className={styles.taskLink} to={to} search={{ request_id: row.request_id }}>
      {t("receipt.openTask")}
    </Link>
  );
}

/** The call as a command to repeat it, with what the log does not have of it. */
function CurlCopy({ row, receipt }: { row: LogRow; receipt: Receipt }) {
  const { t } = useTranslation("logs");
  const { command, isGuessed, isPossible } = curlOf(row, receipt, window.location.origin);
  if (!isPossible || row.model_name === "") return null;
  return (
    <div className={styles.curl}>
      <Copy text={command} label={t("receipt.curlHint")} isIconShown>
        {t("receipt.curl")}
      </Copy>
      <p className={styles.note}>{t(isGuessed ? "receipt.curlGuessed" : "receipt.curlMissing")}</p>
    </div>
  );
}

/** Characters of a line in the receipt's last column. */
const CODE_WIDTH = 43;

const RawCode = ({ value }: { value: unknown }) => (
  <div className={styles.raw}>
    <CodeBlock code={compactJson(value, CODE_WIDTH)} language="json" />
  </div>
);

function RawPart({ title, value }: { title: string; value: unknown }) {
  return (
    <>
      <header className={styles.head}>
        <h2>{title}</h2>
        <CopyWord text={JSON.stringify(value, null, 2)} />
      </header>
      <RawCode value={value} />
    </>
  );
}

/** The upstream's own usage with what was counted of it folded below, else that alone; a fixed price counts nothing worth showing. */
function Usage({ receipt }: { receipt: Receipt }) {
  const { t } = useTranslation("logs");
  const isFixed = Number(receipt.model_price ?? -1) >= 0;
  if (receipt.raw_usage !== undefined)
    return (
      <>
        <RawPart title={t("receipt.raw")} value={receipt.raw_usage} />
        {receipt.usage !== undefined && !isFixed && (
          <details className={styles.counted}>
            <summary>{t("receipt.counted")}</summary>
            <RawCode value={receipt.usage} />
          </details>
        )}
      </>
    );
  if (receipt.usage !== undefined && !isFixed) return <RawPart title={t("receipt.counted")} value={receipt.usage} />;
  return (
    <header className={styles.head}>
      <h2>{t("receipt.request")}</h2>
    </header>
  );
}

function Failure({ row, receipt, isAdmin }: { row: LogRow; receipt: Receipt; isAdmin: boolean }) {
  const { t } = useTranslation("logs");
  return (
    <section>
      <header className={styles.head}>
        <h2>{t("receipt.failure")}</h2>
      </header>
      <p className={styles.message}>{visible(row.content)}</p>
      <dl className={styles.info}>
        {receipt.status_code !== undefined && <InfoRow name={t("receipt.status")}>{receipt.status_code}</InfoRow>}
        {receipt.error_type && (
          <InfoRow name={t("receipt.errorType")}>
            <code>{receipt.error_type}</code>
          </InfoRow>
        )}
        {receipt.error_code && (
          <InfoRow name={t("receipt.errorCode")}>
            <code>{receipt.error_code}</code>
          </InfoRow>
        )}
      </dl>
      <p className={styles.note}>{t("receipt.notCharged")}</p>
      <AdvicePart row={row} receipt={receipt} isAdmin={isAdmin} />
    </section>
  );
}

function CallReceipt({ row, receipt, isAdmin }: { row: LogRow; receipt: Receipt; isAdmin: boolean }) {
  const { t } = useTranslation("logs");
  const notes = useNotes(receipt);
  return (
    <div className={styles.columns}>
      {row.type === LOG_TYPE.error ? (
        <Failure row={row} receipt={receipt} isAdmin={isAdmin} />
      ) : (
        <section>
          <header className={styles.head}>
            <h2>{t("receipt.price")}</h2>
          </header>
          <PriceLines row={row} receipt={receipt} />
          {isAdmin && <MarginLines row={row} receipt={receipt} />}
          <Notes notes={notes} />
        </section>
      )}
      {isAdmin ? <ChannelsTried row={row} receipt={receipt} /> : <TimeSpent row={row} receipt={receipt} />}
      <section>
        <Usage receipt={receipt} />
        <CallInfo row={row} receipt={receipt} />
      </section>
    </div>
  );
}

const isChange = (detail: object): boolean => "changed" in detail || "from" in detail;

/** The opened row. */
export function ReceiptOf({ row, isAdmin }: { row: LogRow; isAdmin: boolean }) {
  const { t } = useTranslation("logs");
  const receipt = receiptOf(row);
  return (
    <div className={styles.receipt}>
      {isCall(row) ? (
        <CallReceipt row={row} receipt={receipt} isAdmin={isAdmin} />
      ) : (
        <div className={styles.columns} data-two>
          <section>
            <EventSentence row={row} />
            <CallInfo row={row} receipt={receipt} />
          </section>
          <section>
            {receipt.tests.length > 0 && <TestList receipt={receipt} />}
            {receipt.detail !== undefined && (
              <RawPart
                title={t(isChange(receipt.detail) ? "receipt.changed" : "receipt.detail")}
                value={receipt.detail}
              />
            )}
          </section>
        </div>
      )}
    </div>
  );
}
