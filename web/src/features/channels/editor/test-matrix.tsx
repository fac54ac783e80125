/** 'Test' in the channel form: models by the capability to show, each with its time and cost, and failures in words with the way to their repair. */
import { Button, MultiSelect } from "@mantine/core";
import { IconCheck, IconPlayerPlay, IconX } from "@tabler/icons-react";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import { TEST_KINDS, type TestKind } from "../../../../../contract/src/channels/channel-tests.ts";
import type { ProviderRow } from "../../../../../contract/src/channels/provider-row.ts";
import { modelKind } from "../../../../../contract/src/pricing/model-kind.ts";
import { formatDurationMs, formatQuota } from "../../../lib/format.ts";
import { visible } from "../../../lib/names.ts";
import { FormSection } from "../../../ui/form/form-drawer.tsx";
import { Spinner } from "../../../ui/plain.tsx";
import type { ChannelForm, FieldErrors, FieldName } from "../model/form.ts";
import { cellOf, failuresTogether, firstRows, MATRIX_ROWS_MAX, rowsLeft } from "../model/test-matrix.ts";
import { type AskedTest, type Cell, type FailedCell, useTestCells } from "./test-cells.ts";
import styles from "./test-matrix.module.css";

/** Streams, tools and pictures are for conversations. */
const kindsOf = (model: string): readonly TestKind[] => (modelKind(model) === "chat" ? TEST_KINDS : ["plain"]);

function CellState({ cell }: { cell: Cell | undefined }) {
  if (cell === undefined) return <IconPlayerPlay size={14} stroke={1.5} aria-hidden />;
  if (cell.state === "running") return <Spinner />;
  if (cell.state === "failed") return <IconX size={16} stroke={1.75} aria-hidden className={styles.failed} />;
  return (
    <>
      <span className={styles.passed}>
        <IconCheck size={14} stroke={1.75} aria-hidden />
        {formatDurationMs(cell.ms)}
      </span>{" "}
      {cell.cost !== undefined && <span className={styles.cost}>{formatQuota(cell.cost)}</span>}
    </>
  );
}

interface CellButtonProps extends AskedTest {
  cell: Cell | undefined;
  onTest: () => void;
}

function CellButton({ model, kind, cell, onTest }: CellButtonProps) {
  const { t } = useTranslation("channel-editor");
  const name = { model: visible(model), kind: t(`matrix.kinds.${kind}`) };
  const state = cell?.state ?? "none";
  const values =
    cell?.state === "passed"
      ? { time: formatDurationMs(cell.ms), cost: cell.cost === undefined ? "" : formatQuota(cell.cost) }
      : {};
  const priced = cell?.state === "passed" && cell.cost !== undefined ? "passedPriced" : state;
  return (
    <button
      type="button"
      className={styles.cell}
      aria-label={t(`matrix.cell.${priced}`, { ...name, ...values })}
      aria-disabled={state === "running"}
      onClick={() => state !== "running" && onTest()}
    >
      <CellState cell={cell} />
    </button>
  );
}

interface FailuresProps {
  failed: readonly FailedCell[];
  onRepair: (field: FieldName) => void;
}

/** Failures in words, each once, with buttons that lead to the fields. */
function Failures({ failed, onRepair }: FailuresProps) {
  const { t } = useTranslation(["channel-editor", "channels", "ui"]);
  return (
    <ul className={styles.failures}>
      {failuresTogether(failed).map(({ text, cells, first }) => (
        <li key={text}>
          <span className={styles.where}>
            {cells
              .map(({ model, kind }) =>
                model === ""
                  ? t(`matrix.kinds.${kind}`)
                  : t("matrix.of", { model: visible(model), kind: t(`matrix.kinds.${kind}`) }),
              )
              .join(t("channels:form.comma"))}
          </span>
          <span className={styles.failed}>{text}</span>
          {first.failure !== "unknown" && <span>{t(`matrix.words.${first.failure}`)}</span>}
          {(first.fields.length > 0 || first.requestId !== undefined) && (
            <span className={styles.repairs}>
              {first.fields.map((field) => (
                <Button key={field} size="compact-xs" onClick={() => onRepair(field)}>
                  {t(`matrix.repairs.${field}`, { defaultValue: t("matrix.repair", { field: t(`names.${field}`) }) })}
                </Button>
              ))}
              {/* Another tab: what is typed here stays. */}
              {first.requestId !== undefined && (
                <a href={`/log?request_id=${first.requestId}`} target="_blank" rel="noreferrer">
                  {t("ui:error.showLogEntry")}
                </a>
              )}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

interface TableProps {
  rows: readonly string[];
  cells: Readonly<Record<string, Cell>>;
  onTest: (asked: AskedTest) => void;
}

function MatrixTable({ rows, cells, onTest }: TableProps) {
  const { t } = useTranslation("channel-editor");
  return (
    <table className={styles.table} aria-label={t("matrix.title")}>
      <thead>
        <tr>
          <th scope="col">{t("matrix.model")}</th>
          {TEST_KINDS.map((kind) => (
            <th key={kind} scope="col" title={t(`matrix.help.${kind}`)}>
              {t(`matrix.kinds.${kind}`)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((model) => (
          <tr key={model}>
            <th scope="row" className="mono">
              {visible(model)}
            </th>
            {TEST_KINDS.map((kind) => (
              <td key={kind}>
                {kindsOf(model).includes(kind) ? (
                  <CellButton
                    {...{ model, kind }}
                    cell={cells[cellOf(model, kind)]}
                    onTest={() => onTest({ model, kind })}
                  />
                ) : (
                  <span className={styles.none} title={t("matrix.notForModel")}>
                    –
                  </span>
                )}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const isFailed = (cell: Cell): cell is FailedCell => cell.state === "failed";

export interface TestMatrixProps {
  /** How many times 'Test' was pressed: each time the first model is tested plainly. */
  asked: number;
  channelId: number | undefined;
  form: ChannelForm;
  provider: ProviderRow | undefined;
  onErrors: (errors: FieldErrors) => void;
  onRepair: (field: FieldName) => void;
}

export function TestMatrix({ asked, channelId, form, provider, onErrors, onRepair }: TestMatrixProps) {
  const { t } = useTranslation(["channel-editor", "channels"]);
  const offered = [...new Set([...firstRows(form), ...form.models])];
  const [chosen, setChosen] = useState<readonly string[]>();
  const rows = chosen === undefined ? firstRows(form) : rowsLeft(chosen, offered);
  const place = useRef<HTMLDivElement>(null);
  const { cells, isRunning, run, stop } = useTestCells({
    channelId,
    form,
    provider,
    onFailed: (field, text) => onErrors({ [field]: text }),
  });
  const all = rows.flatMap((model) => kindsOf(model).map((kind) => ({ model, kind })));
  const results = Object.values(cells);
  const [passed, failed] = [results.filter(({ state }) => state === "passed").length, results.filter(isFailed)];
  const answered = useRef(0);
  const begin = useEffectEvent(() => {
    if (answered.current === asked) return;
    answered.current = asked;
    place.current?.scrollIntoView({ block: "nearest" });
    onErrors({});
    void run([{ model: rows[0] ?? "", kind: "plain" }]);
  });
  useEffect(() => begin(), [asked]);
  // What a test showed must not stand below the edge.
  useEffect(() => {
    if (failed.length > 0) place.current?.scrollIntoView({ block: "nearest" });
  }, [failed.length]);
  return (
    <FormSection title={t("matrix.title")}>
      <p className={styles.text}>{t("matrix.text")}</p>
      <MultiSelect
        size="xs"
        searchable
        aria-label={t("matrix.models")}
        data={offered}
        value={[...rows]}
        maxValues={MATRIX_ROWS_MAX}
        placeholder={rows.length < MATRIX_ROWS_MAX ? t("channels:form.addModel") : ""}
        onChange={setChosen}
      />
      {rows.length > 0 && <MatrixTable rows={rows} cells={cells} onTest={(one) => void run([one])} />}
      <div className={styles.foot}>
        <span role="status">
          {results.length > 0 && !isRunning && t("channels:test.summary", { passed, failed: failed.length })}
        </span>
        {isRunning ? (
          <Button size="xs" onClick={stop}>
            {t("channels:test.stop")}
          </Button>
        ) : (
          all.length > 1 && (
            <Button size="xs" onClick={() => void run(all)}>
              {t("matrix.all", { count: all.length })}
            </Button>
          )
        )}
      </div>
      <div ref={place} role="alert">
        {failed.length > 0 && <Failures failed={failed} onRepair={onRepair} />}
      </div>
    </FormSection>
  );
}
