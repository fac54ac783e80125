/** The time range chip: presets that move with the clock, or two moments of one's own. */
import { Button, Popover, TextInput } from "@mantine/core";
import { IconCalendar, IconCheck, IconChevronDown } from "@tabler/icons-react";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { formatDateTime } from "../../lib/format.ts";
import { FieldError } from "../../ui/fields.tsx";
import {
  boundsOf,
  DEFAULT_PRESET,
  fieldOf,
  type Preset,
  PRESETS,
  secondsOfField,
  type TimeRange,
} from "./fns/range.ts";
import styles from "./logs.module.css";

/** What the address holds of a range. */
export interface RangeSearch {
  range: string | undefined;
  start_timestamp: string | undefined;
  end_timestamp: string | undefined;
}

interface TimeRangeProps {
  range: TimeRange;
  /** When the rows shown were asked for, in ms. */
  askedAtMs: number;
  onChange: (search: RangeSearch) => void;
}

/** "15:32" of a full local time text. */
const minuteOf = (atS: number): string => formatDateTime(atS).replace(/:\d\d$/, "");
const clockOf = (atS: number): string => minuteOf(atS).slice(-5);

function useRangeText(range: TimeRange, askedAtMs: number): string {
  const { t } = useTranslation("logs");
  if (range.kind === "custom") {
    const from = range.start === undefined ? t("range.beginning") : minuteOf(range.start);
    return t("range.between", { from, to: range.end === undefined ? t("range.now") : minuteOf(range.end) });
  }
  const name = t(`range.${range.preset}`);
  if (range.preset !== "today" && range.preset !== "hour") return name;
  const { start = 0 } = boundsOf(range, askedAtMs);
  return t("range.withClock", { name, from: clockOf(start), to: clockOf(askedAtMs / 1000) });
}

/** @example <TimeRangeFilter range={range} askedAtMs={query.dataUpdatedAt} onChange={(search) => list.setFilters(search)} /> */
export function TimeRangeFilter({ range, askedAtMs, onChange }: TimeRangeProps) {
  const { t } = useTranslation("logs");
  const [isOpen, setIsOpen] = useState(false);
  const text = useRangeText(range, askedAtMs);
  const pick = (search: RangeSearch) => {
    onChange(search);
    setIsOpen(false);
  };
  return (
    <Popover opened={isOpen} onChange={setIsOpen} position="bottom-start" trapFocus returnFocus>
      <Popover.Target>
        <button
          type="button"
          className={styles.range}
          aria-haspopup="dialog"
          aria-label={t("range.label", { text })}
          onClick={() => setIsOpen(!isOpen)}
        >
          <IconCalendar size={15} stroke={1.5} aria-hidden />
          <span>{text}</span>
          <IconChevronDown size={14} stroke={1.5} aria-hidden />
        </button>
      </Popover.Target>
      <Popover.Dropdown>
        <div className={styles.rangePanel}>
          <PresetList
            range={range}
            onPick={(preset) =>
              pick({
                range: preset === DEFAULT_PRESET ? undefined : preset,
                start_timestamp: undefined,
                end_timestamp: undefined,
              })
            }
          />
          <CustomRange range={range} askedAtMs={askedAtMs} onApply={pick} />
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}

function PresetList({ range, onPick }: { range: TimeRange; onPick: (preset: Preset) => void }) {
  const { t } = useTranslation("logs");
  return (
    <div className={styles.presets} role="group" aria-label={t("range.presets")}>
      {PRESETS.map((preset) => {
        const isOn = range.kind === "preset" && range.preset === preset;
        return (
          <button
            key={preset}
            type="button"
            className={styles.preset}
            aria-pressed={isOn}
            onClick={() => onPick(preset)}
          >
            <span>{t(`range.${preset}`)}</span>
            {isOn && <IconCheck size={14} stroke={1.5} aria-hidden />}
          </button>
        );
      })}
    </div>
  );
}

function CustomRange({
  range,
  askedAtMs,
  onApply,
}: {
  range: TimeRange;
  askedAtMs: number;
  onApply: (search: RangeSearch) => void;
}) {
  const { t } = useTranslation("logs");
  const now = boundsOf(range, askedAtMs);
  // A preset reaches ahead for clocks that differ; whoever goes on from it means until now.
  const end = range.kind === "preset" ? Math.min(now.end ?? Infinity, Math.floor(askedAtMs / 1000)) : now.end;
  const [from, setFrom] = useState(() => fieldOf(now.start));
  const [to, setTo] = useState(() => fieldOf(end));
  const [error, setError] = useState("");
  const apply = (event: FormEvent) => {
    event.preventDefault();
    const start = secondsOfField(from, false);
    const end = secondsOfField(to, true);
    if (start === undefined && end === undefined) return setError(t("range.missing"));
    if (start !== undefined && end !== undefined && start > end) return setError(t("range.reversed"));
    onApply({
      range: undefined,
      start_timestamp: start === undefined ? undefined : String(start),
      end_timestamp: end === undefined ? undefined : String(end),
    });
  };
  return (
    <form className={styles.custom} onSubmit={apply} noValidate>
      <TextInput
        size="xs"
        type="datetime-local"
        label={t("range.from")}
        value={from}
        onChange={(event) => setFrom(event.currentTarget.value)}
      />
      <TextInput
        size="xs"
        type="datetime-local"
        label={t("range.to")}
        value={to}
        onChange={(event) => setTo(event.currentTarget.value)}
      />
      <FieldError error={error} />
      <Button type="submit">{t("range.apply")}</Button>
    </form>
  );
}
