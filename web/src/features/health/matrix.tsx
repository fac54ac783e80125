/** The matrix of channel health: a row for each channel and model, with its share of successful calls, time to the first token and state. */
import { Tooltip } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState, useEffect } from "react";
import { useTranslation } from "react-i18next";
import { answeredShare, type CallFigures, FAILURE_KINDS } from "../../../../contract/src/call-figures.ts";
import type { ChannelHealthRow, HealthBreaker } from "../../../../contract/src/features/health.ts";
import { secondsLeft, shareText, toneOf } from "../../lib/call-share.ts";
import { visible } from "../../lib/names.ts";
import styles from "./health.module.css";
import { formatDurationMs, formatNumber } from "../../lib/format.ts";
import { Faint, StatusDot } from "../../ui/display/tags.tsx";

/** What failed has to be read without a mouse too. */
const HINT_EVENTS = { hover: true, focus: true, touch: true } as const;

/** Share and dot; on hover and focus the failures by their kinds. */
function ShareCell({ figures }: { figures: CallFigures }) {
  const { t } = useTranslation("health");
  const share = answeredShare(figures);
  if (share === null) return <Faint>–</Faint>;
  const failed = FAILURE_KINDS.filter((kind) => (figures.failures[kind] ?? 0) > 0);
  const dot = <StatusDot tone={toneOf(share)}>{t("share", { share: shareText(share) })}</StatusDot>;
  if (failed.length === 0) return dot;
  const lines = failed.map((kind) => t(`failures.${kind}`, { count: figures.failures[kind] ?? 0 }));
  return (
    <Tooltip
      multiline
      events={HINT_EVENTS}
      label={lines.map((line) => (
        <div key={line}>{line}</div>
      ))}
    >
      <span
        tabIndex={0}
        role="note"
        className={styles.share}
        aria-label={`${t("share", { share: shareText(share) })}: ${lines.join(", ")}`}
      >
        {dot}
      </span>
    </Tooltip>
  );
}

/** Half of the first tokens came within the first time, 95 % within the second. */
function FirstTokenCell({ figures: { first_token } }: { figures: CallFigures }) {
  const { p50_ms, p95_ms } = first_token;
  if (p50_ms === null) return <Faint>–</Faint>;
  return (
    <span>
      {formatDurationMs(p50_ms)}
      {p95_ms !== null && <span className={styles.tail}> / {formatDurationMs(p95_ms)}</span>}
    </span>
  );
}

/** Cells of the health page: the share that succeeded with what failed, times to the first token, and breakers that are open. */
const CountCell = ({ count }: { count: number }) => (count === 0 ? <Faint>0</Faint> : <>{formatNumber(count)}</>);

/** Now, each second while something counts down. */
function useNowMs(isOn: boolean): number {
  const [nowMs, setNowMs] = useState(Date.now);
  useEffect(() => {
    if (!isOn) return undefined;
    const timer = setInterval(() => setNowMs(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [isOn]);
  return nowMs;
}

function Breaker({ breaker, nowMs }: { breaker: HealthBreaker; nowMs: number }) {
  const { t } = useTranslation("health");
  const { key_mark, reason, processes, until_ms } = breaker;
  const left = formatDurationMs(secondsLeft(until_ms, nowMs) * 1000, 0);
  return (
    <div className={styles.breaker}>
      <StatusDot tone="amber">
        {key_mark === "" ? t(`breaker.${reason}`, { left }) : t(`keyBreaker.${reason}`, { left, key: key_mark })}
      </StatusDot>
      {processes > 1 && <span className={styles.tail}>{t("processes", { count: processes })}</span>}
    </div>
  );
}

const TONES = { enabled: "green", disabled: "idle", auto_disabled: "red" } as const;

/** What is open now with a countdown; else whether the channel is enabled. */
function StateCell({ channel }: { channel: ChannelHealthRow }) {
  const { t } = useTranslation("health");
  const nowMs = useNowMs(channel.breakers.length > 0);
  const open = channel.breakers.filter(({ until_ms }) => until_ms > nowMs);
  if (open.length === 0) return <StatusDot tone={TONES[channel.status]}>{t(`state.${channel.status}`)}</StatusDot>;
  return (
    <>
      {open.map((breaker) => (
        <Breaker key={breaker.key_mark} breaker={breaker} nowMs={nowMs} />
      ))}
    </>
  );
}

/** So many models of a channel are shown until all are asked for. */
const MODELS_SHOWN = 5;

function FigureCells({ figures }: { figures: CallFigures }) {
  const { t } = useTranslation("health");
  return (
    <>
      <td data-label={t("columns.share")}>
        <ShareCell figures={figures} />
      </td>
      <td data-label={t("columns.calls")} className={styles.number}>
        <CountCell count={figures.succeeded + figures.failed} />
      </td>
      <td data-label={t("columns.limited")} className={styles.number}>
        <CountCell count={figures.failures.rate_limited ?? 0} />
      </td>
      <td data-label={t("columns.firstToken")} className={styles.number}>
        <FirstTokenCell figures={figures} />
      </td>
    </>
  );
}

function Channel({ channel }: { channel: ChannelHealthRow }) {
  const { t } = useTranslation("health");
  const [isWhole, setIsWhole] = useState(false);
  const { id, name, models, figures } = channel;
  const shown = isWhole ? models : models.slice(0, MODELS_SHOWN);
  return (
    <tbody>
      <tr className={styles.channel}>
        <th scope="rowgroup">
          <Link to="/channel/edit/$id" params={{ id: String(id) }} className={styles.name}>
            {visible(name)}
          </Link>
          <span className={styles.id}>#{id}</span>
        </th>
        <FigureCells figures={figures} />
        <td data-label={t("columns.state")} className={styles.state}>
          <StateCell channel={channel} />
        </td>
      </tr>
      {shown.map((row) => (
        <tr key={row.model}>
          <th scope="row" className={`${styles.model} mono`}>
            {visible(row.model)}
          </th>
          <FigureCells figures={row.figures} />
          <td className={styles.blank} />
        </tr>
      ))}
      {models.length > MODELS_SHOWN && (
        <tr className={styles.more}>
          <td colSpan={6}>
            <button type="button" aria-expanded={isWhole} onClick={() => setIsWhole(!isWhole)}>
              {isWhole ? t("fewerModels") : t("allModels", { count: models.length })}
            </button>
          </td>
        </tr>
      )}
    </tbody>
  );
}

export function HealthMatrix({ channels }: { channels: readonly ChannelHealthRow[] }) {
  const { t } = useTranslation("health");
  return (
    <div className={styles.scroll} role="region" tabIndex={0} aria-label={t("title")}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{t("columns.channel")}</th>
            <th scope="col">{t("columns.share")}</th>
            <th scope="col" className={styles.number}>
              {t("columns.calls")}
            </th>
            <th scope="col" className={styles.number}>
              {t("columns.limited")}
            </th>
            <th scope="col" className={styles.number}>
              {t("columns.firstToken")} <span className={styles.tail}>{t("columns.pair")}</span>
            </th>
            <th scope="col" className={styles.state}>
              {t("columns.state")}
            </th>
          </tr>
        </thead>
        {channels.map((channel) => (
          <Channel key={channel.id} channel={channel} />
        ))}
      </table>
    </div>
  );
}
