/** Cells of the channel list: status with its reason, groups, response time, numbers that are edited in place. */
import { Tooltip } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { type KeyboardEvent, useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import { CHANNEL_STATUS, type ChannelRow } from "../../../../../contract/src/features/channels.ts";
import {
  amountDecimals,
  formatClock,
  formatDateTime,
  formatDurationMs,
  formatExact,
  quotaToAmount,
} from "../../../lib/format.ts";
import { visible } from "../../../lib/names.ts";
import { Quota } from "../../../ui/display/quota.tsx";
import { Faint, ResponseTag, StatusDot, Tag } from "../../../ui/display/tags.tsx";
import styles from "../channels.module.css";
import { failureText, hasFailed } from "../model/failure.ts";
import { groupsOf, modelsOf, offReason, statusIn } from "../model/rows.ts";

const STATUSES: Record<number, { tone: "green" | "idle" | "red"; text: string }> = {
  [CHANNEL_STATUS.enabled]: { tone: "green", text: "status.enabled" },
  [CHANNEL_STATUS.disabled]: { tone: "idle", text: "status.disabled" },
  [CHANNEL_STATUS.autoDisabled]: { tone: "red", text: "status.autoDisabled" },
};

/** A reason has to be read without a mouse too. */
export const HINT_EVENTS = { hover: true, focus: true, touch: true } as const;

/** "15:28". */
const formatClockMinutes = (atS: number): string => formatClock(atS).slice(0, -3);

/** How many of a channel's keys are enabled; opens them. Nothing for a channel of one key. */
function KeysCount({ channel, onKeys }: { channel: ChannelRow; onKeys: (channel: ChannelRow) => void }) {
  const { t } = useTranslation("channels");
  const { enabled_key_count: enabled, key_count: count } = channel;
  const isLow = enabled < count;
  return (
    <button
      type="button"
      className={styles.keysCount}
      data-tone={enabled === 0 ? "red" : isLow ? "amber" : undefined}
      aria-label={t("keys.openNamed", { name: channel.name, enabled, count })}
      onClick={() => onKeys(channel)}
    >
      {t("keys.short", { enabled, count })}
    </button>
  );
}

/** The status, and behind it how many of several keys are enabled. */
export function StatusCell({ channel, onKeys }: { channel: ChannelRow; onKeys: (channel: ChannelRow) => void }) {
  if (channel.key_choice === "one") return <ChannelStatus channel={channel} />;
  return (
    <span className={styles.statusAndKeys}>
      <ChannelStatus channel={channel} isShort />
      <KeysCount channel={channel} onKeys={onKeys} />
    </span>
  );
}

const isCooling = ({ status, cooling_until_ms: untilMs }: ChannelRow): boolean =>
  status === CHANNEL_STATUS.enabled && untilMs > Date.now();

/** Calls go elsewhere for now: until when, and where it is seen why. */
function Cooling({ channel: { id, name, cooling_until_ms: untilMs } }: { channel: ChannelRow }) {
  const { t } = useTranslation("channels");
  const text = t("status.cooling", { time: formatClock(Math.ceil(untilMs / 1000)) });
  return (
    <Link to="/channel/health" search={{ keyword: String(id) }} aria-label={t("status.coolingNamed", { name, text })}>
      <StatusDot tone="amber">{text}</StatusDot>
    </Link>
  );
}

/** Dot and label; an automatically disabled channel shows why, in full on hover. `isShort` shows the reason on hover alone. */
function ChannelStatus({ channel, isShort = false }: { channel: ChannelRow; isShort?: boolean }) {
  const { t } = useTranslation("channels");
  const { tone, text } = STATUSES[channel.status] ?? { tone: "idle" as const, text: "status.disabled" };
  const off = offReason(channel);
  if (off === undefined)
    return isCooling(channel) ? <Cooling channel={channel} /> : <StatusDot tone={tone}>{t(text)}</StatusDot>;
  const reason = off.reason || t("status.noReason");
  const code = statusIn(reason);
  const short =
    code !== undefined && off.atS > 0 ? t("status.at", { reason: code, time: formatClockMinutes(off.atS) }) : reason;
  return (
    <Tooltip multiline maw={360} events={HINT_EVENTS} label={<OffHint reason={reason} atS={off.atS} />}>
      <span
        className={styles.off}
        tabIndex={0}
        role="note"
        aria-label={`${t(text)}: ${reason}${off.atS > 0 ? `, ${formatExact(off.atS)}` : ""}`}
      >
        <StatusDot tone={tone}>{t(text)}</StatusDot>
        {!isShort && <span className={styles.offReason}>{short}</span>}
      </span>
    </Tooltip>
  );
}

function OffHint({ reason, atS }: { reason: string; atS: number }) {
  const { t } = useTranslation("channels");
  return (
    <>
      <div>{reason}</div>
      {atS > 0 && <div className={styles.faint}>{t("status.since", { time: formatDateTime(atS) })}</div>}
    </>
  );
}

const GROUPS_SHOWN = 2;

/** Groups as outline tags; beyond the first ones a count with the rest on hover. */
export function GroupsCell({ channel }: { channel: ChannelRow }) {
  const groups = groupsOf(channel);
  // Room for one more tag is better used by the tag than by a count of one.
  const shown = groups.length === GROUPS_SHOWN + 1 ? groups : groups.slice(0, GROUPS_SHOWN);
  const rest = groups.slice(shown.length);
  return (
    <span className={styles.tags}>
      {shown.map((group) => (
        <Tag key={group} tone="outline">
          {visible(group)}
        </Tag>
      ))}
      {rest.length > 0 && (
        <Tooltip label={visible(rest.join(", "))}>
          <span className={styles.faint}>+{rest.length}</span>
        </Tooltip>
      )}
    </span>
  );
}

const MODELS_IN_HINT = 12;

export function ModelsCell({ channel }: { channel: ChannelRow }) {
  const { t } = useTranslation("channels");
  const models = modelsOf(channel);
  const { new_models: added, vanished_models: removed } = channel;
  const differs = added + removed > 0;
  const names = models.slice(0, MODELS_IN_HINT).join("\n") + (models.length > MODELS_IN_HINT ? "\n…" : "");
  const hint = differs ? `${t("modelsDiffer", { added, removed })}\n\n${names}` : names;
  return (
    <Tooltip multiline label={<span className={styles.lines}>{hint}</span>}>
      <span className={styles.models}>
        {models.length}
        {differs && <Tag tone={removed > 0 ? "amber" : "blue"}>{`±${added + removed}`}</Tag>}
      </span>
    </Tooltip>
  );
}

/** The hint of a failed test: why, when, and how fast the channel was before. */
function FailureHint({ channel, reason }: { channel: ChannelRow; reason: string }) {
  const { t } = useTranslation("channels");
  return (
    <>
      <div>{visible(reason)}</div>
      <div className={styles.faint}>{t("testedAt", { time: formatDateTime(channel.test_time) })}</div>
      {channel.response_time > 0 && (
        <div className={styles.faint}>{t("lastGood", { time: formatDurationMs(channel.response_time) })}</div>
      )}
    </>
  );
}

/** The last test: its time, or that it failed, with the reason on hover, focus and touch. */
export function ResponseCell({ channel }: { channel: ChannelRow }) {
  const { t } = useTranslation("channels");
  if (hasFailed(channel)) {
    const { test_failure } = channel;
    const reason = test_failure === null ? t("status.noReason") : failureText(t, test_failure);
    return (
      <Tooltip multiline maw={360} events={HINT_EVENTS} label={<FailureHint channel={channel} reason={reason} />}>
        <span
          className={styles.failedTest}
          tabIndex={0}
          role="note"
          aria-label={`${t("test.failedShort")}: ${visible(reason)}, ${formatExact(channel.test_time)}`}
        >
          <Tag tone="red">{t("test.failedShort")}</Tag>
        </span>
      </Tooltip>
    );
  }
  if (channel.response_time === 0 || channel.test_time === 0) return <ResponseTag ms={channel.response_time} />;
  return (
    <Tooltip label={t("testedAt", { time: formatDateTime(channel.test_time) })}>
      <span>
        <ResponseTag ms={channel.response_time} />
      </span>
    </Tooltip>
  );
}

/** With a real minus sign. */
const signed = (value: number): string => String(value).replace("-", "−");

/**
 * A number that becomes a field when clicked: Enter or blur saves, Escape does not. The keys return the focus to the number.
 * @param parse the number in a text, undefined where there is none that may be saved
 */
export function InlineNumber({
  value,
  label,
  parse,
  onSave,
}: {
  value: number;
  label: string;
  parse: (text: string) => number | undefined;
  onSave: (value: number) => void;
}) {
  const { t } = useTranslation("channels");
  const [text, setText] = useState<string>();
  const [endedByKey, setEndedByKey] = useState(false);
  if (text === undefined) {
    return (
      <Tooltip label={t("editInPlace")}>
        <button
          type="button"
          className={styles.number}
          aria-label={`${label}: ${value}`}
          autoFocus={endedByKey}
          onClick={() => setText(String(value))}
        >
          {value === 0 ? <Faint>0</Faint> : signed(value)}
        </button>
      </Tooltip>
    );
  }
  const parsed = parse(text);
  const end = (byKey: boolean) => {
    setText(undefined);
    setEndedByKey(byKey);
  };
  const save = () => parsed !== undefined && parsed !== value && onSave(parsed);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") end(true);
    if (event.key !== "Enter" || parsed === undefined) return;
    // The same press would go on to the button that gets the focus.
    event.preventDefault();
    end(true);
    save();
  };
  const onBlur = () => {
    end(false);
    save();
  };
  return (
    <input
      className={styles.numberField}
      aria-label={label}
      aria-invalid={parsed === undefined}
      inputMode="numeric"
      autoFocus
      value={text}
      onFocus={(event) => event.currentTarget.select()}
      onChange={(event) => setText(event.currentTarget.value)}
      onKeyDown={onKeyDown}
      onBlur={onBlur}
    />
  );
}

const CENT = 0.01;

/** What calls were charged in all: two decimals, so that its column is even, and more where it is below a cent. */
export function UsedCell({ quota }: { quota: number }) {
  const amount = quotaToAmount(quota);
  return <Quota quota={quota} decimals={Math.abs(amount) < CENT ? amountDecimals(amount) : 2} />;
}
