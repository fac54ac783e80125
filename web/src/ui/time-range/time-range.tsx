/** The filter by time: periods that move with the clock, or two moments of one's own. */
import { useTranslation } from "../../lib/i18n.ts";
import { formatMinute } from "../../lib/format.ts";
import { RangePicker } from "./range-picker.tsx";
import { boundsOf, boundsOfFields, fieldOf, type Preset, type RangeSearch, type TimeRange, untilNow } from "./range.ts";

interface TimeRangeProps {
  range: TimeRange;
  presets: readonly Preset[];
  /** The page's default range, which the address omits. */
  fallback: Preset;
  /** When the rows shown were asked for, in ms. */
  askedAtMs: number;
  onChange: (search: Record<keyof RangeSearch, string | undefined>) => void;
}

/** "15:32". */
const clockOf = (atS: number): string => formatMinute(atS).slice(-5);

function useRangeText(range: TimeRange, askedAtMs: number): string {
  const { t } = useTranslation("ui");
  if (range.kind === "custom") {
    const from = range.start === undefined ? t("range.beginning") : formatMinute(range.start);
    return t("range.between", { from, to: range.end === undefined ? t("range.now") : formatMinute(range.end) });
  }
  const name = t(`range.${range.preset}`);
  if (range.preset !== "today" && range.preset !== "hour") return name;
  const { start = 0 } = boundsOf(range, askedAtMs);
  return t("range.withClock", { name, from: clockOf(start), to: clockOf(askedAtMs / 1000) });
}

const textOf = (seconds: number | undefined): string | undefined =>
  seconds === undefined ? undefined : String(seconds);

/** @example <TimeRangeFilter range={range} presets={["today", "week"]} fallback="today" askedAtMs={query.dataUpdatedAt} onChange={(search) => list.setFilters(search)} /> */
export function TimeRangeFilter({ range, presets, fallback, askedAtMs, onChange }: TimeRangeProps) {
  const { t } = useTranslation("ui");
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
      presets={presets.map((id) => ({ id, text: t(`range.${id}`) }))}
      chosen={range.kind === "preset" ? range.preset : undefined}
      onPreset={(preset) =>
        onChange({
          range: preset === fallback ? undefined : preset,
          start_timestamp: undefined,
          end_timestamp: undefined,
        })
      }
      precision="minute"
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
