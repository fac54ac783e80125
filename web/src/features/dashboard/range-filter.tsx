/** The dashboard's range: stretches of days up to now, or two days. */
import { useTranslation } from "react-i18next";
import { formatDate } from "../../lib/format.ts";
import { RangePicker } from "../../ui/form/range-picker.tsx";
import { boundsOf, dateOf, datesFault, DEFAULT_PRESET, PRESETS, type Range, type ViewSearch } from "./model/view.ts";

/** @param nowMs when what is shown was asked for */
export function useRangeText(range: Range, nowMs: number): string {
  const { t } = useTranslation("dashboard");
  if (range.kind === "preset") return t(`range.${range.preset}`);
  const { start, end } = boundsOf(range, nowMs);
  return range.from === range.to
    ? formatDate(start)
    : t("range.between", { from: formatDate(start), to: formatDate(end) });
}

interface RangeFilterProps {
  range: Range;
  nowMs: number;
  onChange: (search: ViewSearch) => void;
}

export function RangeFilter({ range, nowMs, onChange }: RangeFilterProps) {
  const { t } = useTranslation("dashboard");
  const text = useRangeText(range, nowMs);
  const now = boundsOf(range, nowMs);
  return (
    <RangePicker
      text={text}
      words={{
        button: t("range.chosen", { text }),
        presets: t("range.label"),
        from: t("range.from"),
        to: t("range.to"),
        apply: t("range.apply"),
      }}
      presets={PRESETS.map((id) => ({ id, text: t(`range.${id}`) }))}
      chosen={range.kind === "preset" ? range.preset : undefined}
      onPreset={(preset) =>
        onChange({
          range: preset === DEFAULT_PRESET ? undefined : preset,
          from: undefined,
          to: undefined,
          by: undefined,
        })
      }
      fields="date"
      bounds={{ from: dateOf(now.start), to: dateOf(now.end) }}
      onBounds={(from, to) => {
        const fault = datesFault(from, to);
        if (fault !== undefined) return t(`range.fault.${fault}`);
        onChange({ range: undefined, from, to, by: undefined });
        return undefined;
      }}
      align="end"
    />
  );
}
