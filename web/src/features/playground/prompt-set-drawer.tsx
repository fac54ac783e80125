/** A set of up to 50 prompts over the models of the chat: its price, its progress, a table of the answers with totals, and CSV. */
import { Button } from "@mantine/core";
import { IconDownload, IconPlayerPlay, IconPlayerStop } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { saveFile } from "../../lib/download.ts";
import { formatDecimals, formatDurationMs, formatNumber, formatQuota } from "../../lib/format.ts";
import { visible } from "../../lib/names.ts";
import { useStatus } from "../../lib/status.ts";
import { readStoredJson, STORAGE } from "../../lib/storage.ts";
import { SideDrawer } from "../../ui/form/form-drawer.tsx";
import { Spinner, unlessOff } from "../../ui/plain.tsx";
import type { Lane, Message } from "./model/conversation.ts";
import { parametersOf } from "./model/parameters.ts";
import {
  type Cell,
  csvOf,
  estimated,
  GUESSED_TOKENS,
  LINES_MOST,
  linesOf,
  problemOf,
  WAITING,
} from "./model/prompt-set.ts";
import { totalsOf } from "./model/totals.ts";
import type { Chat } from "./use-chat.ts";
import styles from "./prompt-set.module.css";
import { runSet } from "./store/prompt-set-run.ts";

const COST_DECIMALS = 6;
const icon = { size: 15, stroke: 1.5, "aria-hidden": true } as const;

/** The lanes with what stands in for a choice made the choice. */
const lanesOf = ({ current, offer }: Chat): Lane[] =>
  current.lanes.map((lane) => {
    const { group, model } = offer.choiceOf(lane);
    return { ...lane, group, model };
  });

interface Run {
  prompts: readonly string[];
  models: readonly string[];
  cells: readonly (readonly Cell[])[];
  isRunning: boolean;
}

/** The run of a set, which ends with the drawer. */
function useRun(chat: Chat) {
  const [run, setRun] = useState<Run>();
  const controller = useRef<AbortController>(undefined);
  useEffect(() => () => controller.current?.abort(), []);
  const start = async (prompts: readonly string[]) => {
    const lanes = lanesOf(chat);
    const stop = new AbortController();
    controller.current = stop;
    const cells = prompts.map(() => lanes.map(() => WAITING));
    setRun({ prompts, models: lanes.map(({ model }) => model), cells, isRunning: true });
    const put = (line: number, column: number, cell: Cell) =>
      setRun((now) =>
        now === undefined
          ? now
          : { ...now, cells: now.cells.map((row, at) => (at === line ? row.with(column, cell) : row)) },
      );
    await runSet(chat.current, lanes, prompts, put, stop.signal);
    setRun((now) => (now === undefined ? now : { ...now, isRunning: false }));
  };
  return { run, start, stop: () => controller.current?.abort() };
}

/** A finished cell as an answer, for the totals of its model. */
const answerOf = (cell: Cell, model: string): Message => ({
  id: model,
  role: "assistant",
  content: cell.text,
  createAt: 0,
  status: cell.state === "done" ? "complete" : "error",
  model,
  figures: cell.figures,
});

function Price({ chat, lines }: { chat: Chat; lines: readonly string[] }) {
  const { t } = useTranslation("playground");
  const { quota_per_unit } = useStatus();
  const all = readStoredJson(STORAGE.playgroundParameters);
  const models = chat.current.lanes.map((lane) => {
    const { entry, group, model } = chat.offer.choiceOf(lane);
    const groupRatio = chat.offer.groups.find(({ name }) => name === group)?.ratio ?? 1;
    return { entry, groupRatio, maxTokens: parametersOf(all, model).max_tokens };
  });
  const { calls, usd, isWhole } = estimated(lines, chat.current.system, models);
  return (
    <p className={styles.price}>
      {t("set.price", {
        count: calls,
        formatted: formatNumber(calls),
        amount: formatQuota(usd * quota_per_unit, 4),
        tokens: GUESSED_TOKENS,
      })}
      {!isWhole && ` ${t("set.unpriced")}`}
    </p>
  );
}

function CellOf({ cell }: { cell: Cell }) {
  const { t } = useTranslation("playground");
  const { state, text, figures, failure } = cell;
  if (state === "waiting") return <span className={styles.faint}>–</span>;
  if (state === "running") return <Spinner />;
  const { quota, totalMs } = figures;
  const parts = [
    quota === undefined ? "" : formatQuota(quota, COST_DECIMALS),
    totalMs === undefined ? "" : formatDurationMs(totalMs),
  ].filter((part) => part !== "");
  return (
    <>
      {failure !== undefined && (
        <p className={styles.failed}>
          {failure.message || t(failure.code === "stopped" ? "stopped" : "failure.unreachable")}
        </p>
      )}
      <p className={styles.answer}>{visible(text)}</p>
      <p className={styles.faint}>{parts.join(" · ")}</p>
    </>
  );
}

function TotalOf({ run, column }: { run: Run; column: number }) {
  const { t } = useTranslation("playground");
  const model = run.models[column] ?? "";
  const cells = run.cells.flatMap((row) => row[column] ?? []);
  const { quota, firstTokenMs, tokensPerSecond: speed, tokens } = totalsOf(cells.map((cell) => answerOf(cell, model)));
  const parts = [
    quota === undefined ? "" : formatQuota(quota, COST_DECIMALS),
    firstTokenMs === undefined ? "" : t("figures.first", { time: formatDurationMs(firstTokenMs) }),
    speed === undefined ? "" : t("figures.speed", { speed: formatDecimals(speed, speed < 10 ? 1 : 0) }),
    tokens === undefined ? "" : t("compare.tokens", { count: tokens, formatted: formatNumber(tokens) }),
  ].filter((part) => part !== "");
  return <>{parts.join(" · ") || "–"}</>;
}

function Table({ run }: { run: Run }) {
  const { t } = useTranslation("playground");
  return (
    <div className={styles.scroll} role="region" aria-label={t("set.table")} tabIndex={0}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{t("set.prompt")}</th>
            {run.models.map((model, column) => (
              <th key={column} scope="col" className="mono">
                {visible(model)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {run.prompts.map((prompt, line) => (
            <tr key={line}>
              <th scope="row">{visible(prompt)}</th>
              {(run.cells[line] ?? []).map((cell, column) => (
                <td key={column}>
                  <CellOf cell={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{t("compare.totals")}</th>
            {run.models.map((model, column) => (
              <td key={`${model} ${column}`}>
                <TotalOf run={run} column={column} />
              </td>
            ))}
          </tr>
        </tfoot>
      </table>
    </div>
  );
}

export function PromptSetDrawer({ chat, onClose }: { chat: Chat; onClose: () => void }) {
  const { t } = useTranslation("playground");
  const { quota_per_unit } = useStatus();
  const [text, setText] = useState("");
  const { run, start, stop } = useRun(chat);
  const lines = linesOf(text);
  const problem = problemOf(lines);
  const isRunning = run?.isRunning === true;
  const save = () => {
    if (run === undefined) return;
    const csv = csvOf(run.prompts, run.models, run.cells, quota_per_unit);
    saveFile(new Blob([`\uFEFF${csv}`], { type: "text/csv" }), "prompts.csv");
  };
  return (
    <SideDrawer isOpen onClose={onClose} title={t("set.title")}>
      <div className={styles.body}>
        <p className={styles.text}>
          {t("set.text", {
            models: lanesOf(chat)
              .map(({ model }) => visible(model))
              .join(t("set.comma")),
          })}
        </p>
        <textarea
          className={styles.prompts}
          aria-label={t("set.label")}
          placeholder={t("set.placeholder", { count: LINES_MOST })}
          rows={6}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
        {problem === undefined && <Price chat={chat} lines={lines} />}
        {problem !== undefined && problem !== "empty" && (
          <p className={styles.failed} role="alert">
            {t(`set.problem.${problem}`, { count: lines.length, most: LINES_MOST })}
          </p>
        )}
        <div className={styles.acts}>
          <Button
            variant="filled"
            leftSection={isRunning ? <IconPlayerStop {...icon} /> : <IconPlayerPlay {...icon} />}
            {...unlessOff(!isRunning && problem !== undefined, () => (isRunning ? stop() : void start(lines)))}
          >
            {t(isRunning ? "set.stop" : "set.run")}
          </Button>
          {run !== undefined && !isRunning && (
            <Button leftSection={<IconDownload {...icon} />} onClick={save}>
              {t("set.csv")}
            </Button>
          )}
        </div>
        {run !== undefined && <Table run={run} />}
      </div>
    </SideDrawer>
  );
}
