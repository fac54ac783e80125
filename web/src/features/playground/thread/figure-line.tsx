/** What a reply took: tokens, cost, time to the first token, tokens a second, and the way to its receipt. */
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { formatDecimals, formatDurationMs, formatNumber, formatQuota } from "../../../lib/format.ts";
import { visible } from "../../../lib/names.ts";
import { isUnderWay, type Message } from "../model/conversation.ts";
import { tokensPerSecond } from "../model/figures.ts";
import styles from "./thread.module.css";

/** A call's cost has 6 decimals. */
const COST_DECIMALS = 6;

function useParts({ model, figures = {}, status }: Message): string[] {
  const { t } = useTranslation("playground");
  const { promptTokens, completionTokens, quota, firstTokenMs, totalMs } = figures;
  const speed = tokensPerSecond(figures);
  const tokens =
    promptTokens === undefined || completionTokens === undefined
      ? ""
      : t("figures.tokens", { input: formatNumber(promptTokens), output: formatNumber(completionTokens) });
  return [
    visible(model ?? ""),
    tokens,
    quota === undefined ? "" : formatQuota(quota, COST_DECIMALS),
    firstTokenMs === undefined ? "" : t("figures.first", { time: formatDurationMs(firstTokenMs) }),
    speed === undefined ? "" : t("figures.speed", { speed: formatDecimals(speed, speed < 10 ? 1 : 0) }),
    status === "complete" && totalMs !== undefined ? t("figures.total", { time: formatDurationMs(totalMs) }) : "",
  ].filter((part) => part !== "");
}

export function FigureLine({ message }: { message: Message }) {
  const { t } = useTranslation("playground");
  const parts = useParts(message);
  const { requestId, quota } = message.figures ?? {};
  // Until the end only the model is named, so that nothing jumps about while words come.
  const shown = isUnderWay(message) ? parts.slice(0, 1) : parts;
  return (
    <span className={styles.figures}>
      {shown.map((part) => (
        <span key={part}>{part}</span>
      ))}
      {!isUnderWay(message) && requestId !== undefined && quota !== undefined && (
        <Link to="/log" search={{ request_id: requestId }}>
          {t("figures.receipt")}
        </Link>
      )}
    </span>
  );
}
