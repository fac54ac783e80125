/** The middle part of a receipt: the channels tried, with times and failures; for users who may not see channels, the times alone. */
import { IconPlayerSkipForward } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "../../lib/i18n.ts";
import { LOG_TYPE } from "../../../../contract/src/constants.ts";
import { visible } from "../../lib/names.ts";
import { Name } from "../../ui/display/name.tsx";
import { ProviderMark } from "../../ui/display/provider-mark.tsx";
import { firstTokenMs, type LogRow, tokensPerSecond } from "./model/log-row.ts";
import { attemptsOf, type Receipt } from "./model/receipt.ts";
import { attemptText, skipText, spanText, speedText, tickText } from "./model/words.ts";
import styles from "./receipt.module.css";
import { type Bar, type Waterfall, waterfallOf } from "./model/waterfall.ts";

function FailedWords({ bar }: { bar: Bar }) {
  const { t } = useTranslation("logs");
  const { attempt, left, width, wordsAt } = bar;
  const place = {
    right: { left: `calc(${left + width}% + 10px)` },
    left: { right: `calc(${100 - left}% + 10px)` },
    below: { left: 0, top: 22 },
  }[wordsAt];
  return (
    <span className={styles.words} style={place} title={visible(attempt.reason) || undefined}>
      <span className={styles.failed}>{visible(attemptText(t, attempt.status, attempt.reason))}</span>{" "}
      {spanText(attempt.ms)}
    </span>
  );
}

function BarOf({ bar }: { bar: Bar }) {
  const place = { left: `${bar.left}%`, width: `max(3px, ${bar.width}%)` };
  if (bar.isFailed) {
    return (
      <>
        <span className={styles.bar} data-kind="failed" style={place} />
        <FailedWords bar={bar} />
      </>
    );
  }
  return (
    <span className={styles.bar} data-kind="answered" style={place}>
      {bar.waiting > 0 && <span className={styles.waiting} style={{ width: `${bar.waiting * 100}%` }} />}
      <span className={styles.streaming} />
    </span>
  );
}

function Rows({ waterfall, names }: { waterfall: Waterfall; names: readonly React.ReactNode[] }) {
  return (
    <div className={styles.waterfall}>
      {waterfall.bars.map((bar, index) => (
        <div key={index} className={styles.lane} data-words={bar.isFailed ? bar.wordsAt : undefined}>
          <span className={styles.laneName}>{names[index]}</span>
          <span className={styles.track}>
            {waterfall.ticks.map(({ ms, left }) => (
              <span key={ms} className={styles.tick} style={{ left: `${left}%` }} />
            ))}
            <BarOf bar={bar} />
          </span>
        </div>
      ))}
      <div className={styles.lane} data-axis aria-hidden>
        <span className={styles.laneName} />
        <span className={styles.track}>
          {waterfall.ticks.map(({ ms, left }) => (
            <span key={ms} className={styles.tickText} style={{ left: `${left}%` }}>
              {tickText(ms)}
            </span>
          ))}
        </span>
      </div>
    </div>
  );
}

function Legend({ row }: { row: LogRow }) {
  const { t } = useTranslation("logs");
  const first = firstTokenMs(row);
  const speed = tokensPerSecond(row);
  if (first === undefined)
    return <p className={styles.legend}>{t("receipt.whole", { time: spanText(row.use_time_ms) })}</p>;
  return (
    <p className={styles.legend}>
      <span className={styles.swatch} data-kind="waiting" aria-hidden />
      {t("receipt.firstToken")} <b>{spanText(first)}</b>
      <span className={styles.swatch} data-kind="streaming" aria-hidden />
      {t("receipt.streaming")} <b>{spanText(Math.max(0, row.use_time_ms - first))}</b>
      {speed !== undefined && <span>{t("receipt.speed", { formatted: speedText(speed) })}</span>}
    </p>
  );
}

function Outcome({ waterfall }: { waterfall: Waterfall }) {
  const { t } = useTranslation("logs");
  const failed = waterfall.bars.filter(({ isFailed }) => isFailed).length;
  const isAnswered = failed < waterfall.bars.length;
  if (failed === 0) return <span className={styles.quiet}>{t("receipt.answered")}</span>;
  return (
    <span className={styles.quiet}>
      {t(isAnswered ? "receipt.failedThenAnswered" : "receipt.allFailed", { count: failed })}
    </span>
  );
}

/** For administrators. */
export function ChannelsTried({ row, receipt }: { row: LogRow; receipt: Receipt }) {
  const { t } = useTranslation("logs");
  const attempts = attemptsOf(row, receipt);
  const waterfall = waterfallOf(row, attempts);
  const names = attempts.map(({ id, name, type, key }) => (
    <>
      {type !== undefined && <ProviderMark type={type} size={16} />}
      <Link
        className={styles.clipped ?? ""}
        to="/channel/health"
        search={{ keyword: String(id) }}
        aria-label={t("receipt.health", {
          channel: visible(key === undefined ? `#${id} ${name}` : `#${id} ${name} ${key}`),
        })}
        title={visible(key === undefined ? `#${id} ${name}` : `#${id} ${name} · ${key}`)}
      >
        #{id} <Name text={name} />{" "}
        {key !== undefined && <span className={`mono ${styles.keyMark}`}>{visible(key)}</span>}
      </Link>
    </>
  ));
  return (
    <section className={styles.middle}>
      <header className={styles.head}>
        <h2>{t("receipt.channels")}</h2>
        {attempts.length > 0 && <Outcome waterfall={waterfall} />}
      </header>
      {attempts.length === 0 ? (
        <p className={styles.note}>{t("receipt.noneTried")}</p>
      ) : (
        <Rows waterfall={waterfall} names={names} />
      )}
      {attempts.length > 0 && row.type === LOG_TYPE.consumption && <Legend row={row} />}
      {receipt.skipped.length > 0 && (
        <ul className={styles.skipped}>
          {receipt.skipped.map(({ id, name, reason }) => (
            <li key={id}>
              <IconPlayerSkipForward size={14} stroke={1.5} aria-hidden />
              <span>{t("receipt.skipped", { channel: `#${id} ${name}`, reason: skipText(t, reason) })}</span>
            </li>
          ))}
        </ul>
      )}
      {receipt.affinity !== undefined && (
        <p className={styles.note}>
          {t(receipt.affinity.isHit ? "receipt.affinityHit" : "receipt.affinityNew", {
            rule: receipt.affinity.rule,
          })}
        </p>
      )}
      {receipt.overrides.length > 0 && (
        <p className={styles.note}>{t("receipt.overrides", { rules: visible(receipt.overrides.join(", ")) })}</p>
      )}
      {row.type === LOG_TYPE.error && row.request_id !== "" && (
        <Link className={styles.explain ?? ""} to="/channel/route" search={{ request: row.request_id }}>
          {t("receipt.explainRoute")}
        </Link>
      )}
    </section>
  );
}

/** For users: the call as one bar, without a word about channels. */
export function TimeSpent({ row, receipt }: { row: LogRow; receipt: Receipt }) {
  const { t } = useTranslation("logs");
  const waterfall = waterfallOf(row, [
    {
      id: 0,
      name: "",
      start_ms: 0,
      ms: row.use_time_ms,
      status: receipt.status_code ?? 0,
      reason: "",
      type: undefined,
    },
  ]);
  return (
    <section className={styles.middle}>
      <header className={styles.head}>
        <h2>{t("receipt.timing")}</h2>
      </header>
      <Rows waterfall={waterfall} names={[t("receipt.thisCall")]} />
      {row.type === LOG_TYPE.consumption && <Legend row={row} />}
    </section>
  );
}
