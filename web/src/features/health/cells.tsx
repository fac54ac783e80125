/** Cells of the health page: the share that succeeded with what failed, times to the first token, breakers that are open, and the last failure. */
import { Tooltip } from "@mantine/core";
import { useEffect, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { type CallFigures, FAILURE_KINDS, SMALL_SAMPLE, successShare } from "../../../../contract/src/call-figures.ts";
import type { ChannelHealthRow, HealthBreaker, LastFailure } from "../../../../contract/src/features/health.ts";
import { formatDurationMs, formatNumber } from "../../lib/format.ts";
import { visible } from "../../lib/names.ts";
import { Faint, StatusDot } from "../../ui/display/tags.tsx";
import { Time } from "../../ui/display/time.tsx";
import styles from "./health.module.css";
import { DOT_TONES, leftText, secondsLeft, shareText, spanText, toneOf } from "../../lib/call-share.ts";

/** Failures have to be readable without a mouse too. */
const HINT_EVENTS = { hover: true, focus: true, touch: true } as const;

/** Attempts that say something of a channel: refused requests are the caller's own fault. */
const judged = ({ succeeded, failed, failures }: CallFigures): number => succeeded + failed - (failures.refused ?? 0);

/** Share and dot; on hover and focus the failures by their kinds. Few attempts are grey, whatever came of them. */
export function ShareCell({ figures }: { figures: CallFigures }) {
  const { t } = useTranslation("health");
  const share = successShare(figures);
  if (share === null) return <Faint>–</Faint>;
  const calls = judged(figures);
  const tone = toneOf(share, calls);
  const failed = FAILURE_KINDS.filter((kind) => (figures.failures[kind] ?? 0) > 0);
  const text = t("share", { share: shareText(share) });
  const dot = <StatusDot tone={DOT_TONES[tone]}>{tone === "few" ? <Faint>{text}</Faint> : text}</StatusDot>;
  const lines = [
    ...(tone === "few" ? [t("few", { count: SMALL_SAMPLE })] : []),
    ...failed.map((kind) => t(`failures.${kind}`, { count: figures.failures[kind] ?? 0 })),
  ];
  if (lines.length === 0) return dot;
  return (
    <Tooltip
      multiline
      events={HINT_EVENTS}
      label={lines.map((line) => (
        <div key={line}>{line}</div>
      ))}
    >
      <span tabIndex={0} role="note" className={styles.share} aria-label={`${text}: ${lines.join(", ")}`}>
        {dot}
      </span>
    </Tooltip>
  );
}

export const AttemptsCell = ({ figures: { succeeded, failed } }: { figures: CallFigures }) =>
  succeeded + failed === 0 ? <Faint>0</Faint> : <>{formatNumber(succeeded + failed)}</>;

/** Half of the first tokens came within the first time, 95 % within the second. */
export function FirstTokenCell({ figures: { first_token } }: { figures: CallFigures }) {
  const { p50_ms, p95_ms } = first_token;
  if (p50_ms === null) return <Faint>–</Faint>;
  return (
    <span>
      {formatDurationMs(p50_ms)}
      {p95_ms !== null && <span className={styles.tail}> / {formatDurationMs(p95_ms)}</span>}
    </span>
  );
}

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
  const left = leftText(secondsLeft(until_ms, nowMs));
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

/** The open breaker with a countdown; else whether the channel is enabled. */
export function StateCell({ channel }: { channel: ChannelHealthRow }) {
  const { t } = useTranslation("health");
  const nowMs = useNowMs(channel.breakers.length > 0);
  const open = channel.status === "enabled" ? channel.breakers.filter(({ until_ms }) => until_ms > nowMs) : [];
  if (open.length === 0) return <StatusDot tone={TONES[channel.status]}>{t(`state.${channel.status}`)}</StatusDot>;
  return open.map((breaker) => <Breaker key={breaker.key_mark} breaker={breaker} nowMs={nowMs} />);
}

/** The reason in words, when it was, and what the upstream said. @param cellS seconds of a cell */
export function LastFailureCell({ failure, cellS }: { failure: LastFailure | null; cellS: number }) {
  const { t } = useTranslation("health");
  if (failure === null) return <Faint>{t("noFailure")}</Faint>;
  const { at, is_exact, kind, words } = failure;
  return (
    <div className={styles.failure}>
      <div>
        {t(`kind.${kind}`)}{" "}
        <span className={styles.tail}>{is_exact ? <Time atS={at} /> : spanText(at, at + cellS - 1)}</span>
      </div>
      {words !== "" && (
        <div className={styles.said} title={words}>
          {visible(words)}
        </div>
      )}
    </div>
  );
}
