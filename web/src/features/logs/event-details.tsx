/** What a row about no call opens into: its sentence, the channels of a run of tests, and what an act changed. */
import { useTranslation } from "react-i18next";
import { formatDurationMs } from "../../lib/format.ts";
import { visible } from "../../lib/names.ts";
import { Name } from "../../ui/display/name.tsx";
import { eventText, eventTone } from "./model/event-text.ts";
import type { LogRow } from "./model/log-row.ts";
import type { Receipt, TestLine } from "./model/receipt.ts";
import styles from "./receipt.module.css";

/** The sentence. */
export function EventSentence({ row }: { row: LogRow }) {
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
export function TestList({ receipt }: { receipt: Receipt }) {
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
