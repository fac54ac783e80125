/** The range picker: stretches of days up to now, or two dates. */
import { Button, Popover, TextInput } from "@mantine/core";
import { IconCalendar, IconCheck, IconChevronDown } from "@tabler/icons-react";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { formatDate } from "../../lib/format.ts";
import { FieldError } from "../../ui/fields.tsx";
import styles from "./range-filter.module.css";
import { boundsOf, dateOf, datesFault, type DatesFault, PRESETS, type Range, type ViewSearch } from "./fns/view.ts";

/** @param nowMs when what is shown was asked for */
export function useRangeText(range: Range, nowMs: number): string {
  const { t } = useTranslation("dashboard");
  if (range.kind === "preset") return t(`range.${range.preset}`);
  const { start, end } = boundsOf(range, nowMs);
  return range.from === range.to
    ? formatDate(start)
    : t("range.between", { from: formatDate(start), to: formatDate(end) });
}

type Pick = (search: ViewSearch) => void;

function Presets({ range, onPick }: { range: Range; onPick: Pick }) {
  const { t } = useTranslation("dashboard");
  return (
    <div className={styles.presets} role="group" aria-label={t("range.label")}>
      {PRESETS.map((preset) => {
        const isOn = range.kind === "preset" && range.preset === preset;
        return (
          <button
            key={preset}
            type="button"
            className={styles.preset}
            aria-pressed={isOn}
            onClick={() =>
              onPick({ range: preset === "month" ? undefined : preset, from: undefined, to: undefined, by: undefined })
            }
          >
            <span>{t(`range.${preset}`)}</span>
            {isOn && <IconCheck size={14} stroke={1.5} aria-hidden />}
          </button>
        );
      })}
    </div>
  );
}

function Dates({ range, nowMs, onPick }: { range: Range; nowMs: number; onPick: Pick }) {
  const { t } = useTranslation("dashboard");
  const now = boundsOf(range, nowMs);
  const [from, setFrom] = useState(() => dateOf(now.start));
  const [to, setTo] = useState(() => dateOf(now.end));
  const [fault, setFault] = useState<DatesFault>();
  const apply = (event: FormEvent) => {
    event.preventDefault();
    const found = datesFault(from, to);
    setFault(found);
    if (found === undefined) onPick({ range: undefined, from, to, by: undefined });
  };
  return (
    <form className={styles.dates} onSubmit={apply} noValidate>
      <TextInput
        size="xs"
        type="date"
        label={t("range.from")}
        value={from}
        onChange={(event) => setFrom(event.currentTarget.value)}
      />
      <TextInput
        size="xs"
        type="date"
        label={t("range.to")}
        value={to}
        onChange={(event) => setTo(event.currentTarget.value)}
      />
      <FieldError error={fault && t(`range.fault.${fault}`)} />
      <Button type="submit">{t("range.apply")}</Button>
    </form>
  );
}

export function RangeFilter({
  range,
  nowMs,
  onChange,
}: {
  range: Range;
  nowMs: number;
  onChange: (search: ViewSearch) => void;
}) {
  const { t } = useTranslation("dashboard");
  const [isOpen, setIsOpen] = useState(false);
  const text = useRangeText(range, nowMs);
  const pick: Pick = (search) => {
    onChange(search);
    setIsOpen(false);
  };
  return (
    <Popover opened={isOpen} onChange={setIsOpen} position="bottom-end" trapFocus returnFocus>
      <Popover.Target>
        <Button
          aria-haspopup="dialog"
          aria-label={t("range.chosen", { text })}
          leftSection={<IconCalendar size={15} stroke={1.5} />}
          rightSection={<IconChevronDown size={14} stroke={1.5} />}
          onClick={() => setIsOpen(!isOpen)}
        >
          {text}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t("range.label")}>
        <div className={styles.rangePanel}>
          <Presets range={range} onPick={pick} />
          <Dates range={range} nowMs={nowMs} onPick={pick} />
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}
