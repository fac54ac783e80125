/** Calls, failures or spend of the log over time, above the list: a drag or the arrow keys choose a stretch to zoom into. */
import { useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, type PointerEvent, useRef, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { formatDateTime, formatMinute, formatNumber, formatQuota } from "../../lib/format.ts";
import { useSearchState } from "../../lib/search.ts";
import { NotRefreshed } from "../../ui/feedback/empty.tsx";
import { Segmented } from "../../ui/form/fields.tsx";
import { PlainButton } from "../../ui/plain.tsx";
import type { LogList } from "./filters.tsx";
import styles from "./histogram.module.css";
import {
  areCalls,
  BAR_MEASURES,
  type BarMeasure,
  type Chosen,
  heightOf,
  type Slot,
  slotsOf,
  spanOf,
  widened,
} from "./model/histogram.ts";
import { histogramQuery, type LogView } from "./queries.ts";
import { logSearch } from "./route.ts";

type Span = { start: number; end: number };

/** Which slots are chosen by pointer or keys, and how to. */
function useChoice(count: number, onZoom: (chosen: Chosen) => void) {
  const [chosen, setChosen] = useState<Chosen>();
  const isDragging = useRef(false);
  const slotAt = (event: PointerEvent<HTMLElement>): number => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const index = Math.floor(((event.clientX - left) / Math.max(1, width)) * count);
    return Math.min(count - 1, Math.max(0, index));
  };
  const end = () => {
    if (isDragging.current && chosen !== undefined) onZoom(chosen);
    isDragging.current = false;
    setChosen(undefined);
  };
  const onPointer = {
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      isDragging.current = true;
      const at = slotAt(event);
      setChosen({ from: at, to: at });
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      const at = slotAt(event);
      setChosen((old) => (isDragging.current && old !== undefined ? { ...old, to: at } : { from: at, to: at }));
    },
    onPointerUp: end,
    onPointerCancel: () => {
      isDragging.current = false;
      setChosen(undefined);
    },
    onPointerLeave: () => {
      if (!isDragging.current) setChosen(undefined);
    },
  };
  const move = (step: number, isExtending: boolean) =>
    setChosen((old) => {
      const to = Math.min(count - 1, Math.max(0, (old?.to ?? (step > 0 ? -1 : count)) + step));
      return { from: isExtending ? (old?.from ?? to) : to, to };
    });
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      move(step, event.shiftKey);
    } else if (event.key === "Enter" && chosen !== undefined) {
      event.preventDefault();
      onZoom(chosen);
      setChosen(undefined);
    } else if (event.key === "Escape" && chosen !== undefined) {
      event.stopPropagation();
      setChosen(undefined);
    }
  };
  return { chosen, handlers: { ...onPointer, onKeyDown, onBlur: () => setChosen(undefined) } };
}

const sumOf = (slots: readonly Slot[], measure: BarMeasure): number =>
  slots.reduce((sum, slot) => sum + slot[measure], 0);

/** "Nov 21, 14:00 – 14:15: 32 calls, 1 failed, $0.12". */
function useChosenText(slots: readonly Slot[], chosen: Chosen | undefined): string {
  const { t } = useTranslation("logs");
  const span = chosen === undefined ? undefined : spanOf(slots, chosen);
  if (span === undefined) return t("histogram.hint");
  const within = slots.filter(({ start, end }) => start >= span.start && end <= span.end);
  const [calls, errors] = [sumOf(within, "calls"), sumOf(within, "errors")];
  return t("histogram.slot", {
    from: formatDateTime(span.start),
    to: formatDateTime(span.end),
    count: calls + errors,
    calls: formatNumber(calls + errors),
    errors: formatNumber(errors),
    spend: formatQuota(sumOf(within, "quota")),
  });
}

function Bars({ slots, measure, chosen }: { slots: readonly Slot[]; measure: BarMeasure; chosen: Chosen | undefined }) {
  const most = Math.max(1, ...slots.map((slot) => heightOf(slot, measure)));
  const percent = (value: number) => `${(value / most) * 100}%`;
  const [from, to] =
    chosen === undefined ? [-1, -1] : [Math.min(chosen.from, chosen.to), Math.max(chosen.from, chosen.to)];
  return slots.map((slot, index) => (
    <span key={slot.start} className={styles.slot} data-is-chosen={(index >= from && index <= to) || undefined}>
      {measure === "calls" && <i className={styles.bar} data-tone="red" style={{ height: percent(slot.errors) }} />}
      <i
        className={styles.bar}
        data-tone={{ calls: "accent", errors: "red", quota: "amber" }[measure]}
        style={{ height: percent(slot[measure]) }}
      />
    </span>
  ));
}

interface HistogramProps {
  list: LogList;
  view: LogView;
  /** Shown bars stay while others load. */
  isHidden: boolean;
}

/** Nothing where one entry is asked for, or entries that are no calls. */
export function Histogram({ list, view, isHidden }: HistogramProps) {
  const isOn = !isHidden && view.filters.request_id === undefined && areCalls(view.filters.type);
  return isOn ? <Drawn list={list} view={view} /> : null;
}

function Drawn({ list, view }: Omit<HistogramProps, "isHidden">) {
  const { t } = useTranslation("logs");
  const [{ bars: measure = "calls" }, change] = useSearchState(logSearch);
  const query = useQuery(histogramQuery(view));
  const slots = query.data === undefined ? [] : slotsOf(query.data);
  const zoomTo = ({ start, end }: Span) =>
    list.setFilters({ range: undefined, start_timestamp: String(start), end_timestamp: String(end) });
  const { chosen, handlers } = useChoice(slots.length, (choice) => {
    const span = spanOf(slots, choice);
    if (span !== undefined) zoomTo(span);
  });
  const text = useChosenText(slots, chosen);
  const { range } = view;
  const isZoomed = range.kind === "custom" && range.start !== undefined && range.end !== undefined;
  return (
    <section className={styles.histogram} aria-label={t("histogram.title")} aria-busy={query.isFetching}>
      <header className={styles.head}>
        <Segmented
          label={t("histogram.measure")}
          options={BAR_MEASURES.map((value) => ({ value, text: t(`histogram.${value}`) }))}
          value={measure}
          onChange={(value) => change({ bars: value === "calls" ? undefined : value }, "replace")}
        />
        {isZoomed && (
          <PlainButton
            onClick={() => zoomTo(widened({ start: range.start ?? 1, end: range.end ?? 1 }, Date.now() / 1000))}
          >
            {t("histogram.zoomOut")}
          </PlainButton>
        )}
        {query.error !== null && query.data === undefined ? (
          <NotRefreshed onRetry={() => void query.refetch()} />
        ) : (
          <output className={styles.text}>{text}</output>
        )}
      </header>
      <div
        className={styles.plot}
        role="group"
        tabIndex={0}
        aria-label={t("histogram.plot")}
        data-is-old={query.isPlaceholderData || undefined}
        {...handlers}
      >
        <Bars slots={slots} measure={measure} chosen={chosen} />
      </div>
      <footer className={styles.axis} aria-hidden>
        <span>{query.data !== undefined && formatMinute(query.data.start)}</span>
        <span>{query.data !== undefined && formatMinute(query.data.end)}</span>
      </footer>
    </section>
  );
}
