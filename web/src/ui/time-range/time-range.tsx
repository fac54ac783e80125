/** The log's range: periods that move with the clock, or two moments of one's own. */
import { useTranslation } from "react-i18next";
import { formatDateTime } from "../../lib/format.ts";
import { RangePicker } from "../../ui/form/range-picker.tsx";
import { boundsOf, boundsOfFields, DEFAULT_PRESET, fieldOf, PRESETS, type TimeRange, untilNow } from "./model/range.ts";

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

const textOf = (seconds: number | undefined): string | undefined =>
  seconds === undefined ? undefined : String(seconds);

/** @example <TimeRangeFilter range={range} askedAtMs={query.dataUpdatedAt} onChange={(search) => list.setFilters(search)} /> */
export function TimeRangeFilter({ range, askedAtMs, onChange }: TimeRangeProps) {
  const { t } = useTranslation("logs");
  const text = useRangeText(range, askedAtMs);
  const now = untilNow(range, askedAtMs);
  return (
    <RangePicker
      text={text}
      words={{
        button: t("range.label", { text }),
        presets: t("range.presets"),
        from: t("range.from"),
        to: t("range.to"),
        apply: t("range.apply"),
      }}
      presets={PRESETS.map((id) => ({ id, text: t(`range.${id}`) }))}
      chosen={range.kind === "preset" ? range.preset : undefined}
      onPreset={(preset) =>
        onChange({
          range: preset === DEFAULT_PRESET ? undefined : preset,
          start_timestamp: undefined,
          end_timestamp: undefined,
        })
      }
      fields="datetime-local"
      bounds={{ from: fieldOf(now.start), to: fieldOf(now.end) }}
      onBounds={(from, to) => {
        const bounds = boundsOfFields(from, to);
        if (typeof bounds === "string") return t(`range.${bounds}`);
        onChange({ range: undefined, start_timestamp: textOf(bounds.start), end_timestamp: textOf(bounds.end) });
        return undefined;
      }}
      align="start"
    />
  );
}
