/** Stacked bars over time: hairlines, round ticks, and a panel of exact values on hover, touch and arrow keys. */
import { useElementSize, useMergedRef } from "@mantine/hooks";
import {
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent as ReactPointerEvent,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type ReactNode,
} from "react";
import { Swatch } from "./bars.tsx";
import type { ChartSeries, Frame, StackedBarsProps } from "./chart-props.ts";
import styles from "./charts.module.css";
import { labelEvery, roundTicks } from "./scale.ts";
import { chartColor } from "../../lib/model-colors.ts";

const RADIUS = 2;

/** A rectangle with rounded upper corners. */
function roundedTop(x: number, y: number, width: number, height: number): string {
  const radius = Math.min(RADIUS, width / 2, height);
  return `M${x} ${y + height}V${y + radius}Q${x} ${y} ${x + radius} ${y}H${x + width - radius}Q${x + width} ${y} ${x + width} ${y + radius}V${y + height}Z`;
}

interface ColumnProps {
  index: number;
  props: StackedBarsProps;
  frame: Frame;
}

/** One bar of stacked bars: its parts, each a link, and the outline of the previous period behind it. */
function Column({ index, props, frame }: ColumnProps) {
  const { series, active } = props;
  const x = index * frame.slot + (frame.slot - frame.bar) / 2;
  const present = series.filter(({ values }) => (values[index] ?? 0) > 0);
  let below = 0;
  return present.map((each, place) => {
    const from = below;
    below += each.values[index] ?? 0;
    const y = frame.y(below);
    const height = Math.max(0.5, frame.y(from) - y);
    const style = { fill: chartColor(each.color) };
    const isThin = frame.bar < 5;
    const isDim = active !== undefined && active !== each.id;
    const shape = { className: isThin ? undefined : styles.bar, style, "data-is-dim": isDim || undefined };
    const part =
      place === present.length - 1 ? (
        <path {...shape} d={roundedTop(x, y, frame.bar, height)} />
      ) : (
        <rect {...shape} x={x} y={y} width={frame.bar} height={height} />
      );
    return (
      <BarLink key={each.id} props={props} index={index} seriesId={each.id}>
        {part}
      </BarLink>
    );
  });
}

/**
 * A part of a bar that leads somewhere, into a new tab too. It is no link of its own, which a slider may not hold: the keyboard opens
 * a slot with Enter, and the table beside the chart has links.
 */
function BarLink({
  props,
  index,
  seriesId,
  children,
}: {
  props: StackedBarsProps;
  index: number;
  seriesId: string | undefined;
  children: ReactNode;
}) {
  const { hrefOf, onOpen } = props;
  const href = hrefOf?.(index, seriesId);
  if (href === undefined) return children;
  const inNewTab = () => void window.open(href, "_blank", "noopener");
  const onClick = (event: MouseEvent) => {
    if (event.defaultPrevented) return;
    if (event.ctrlKey || event.metaKey || event.shiftKey) inNewTab();
    else onOpen?.(href);
  };
  const onAuxClick = (event: MouseEvent) => event.button === 1 && inNewTab();
  return (
    <g className={styles.follows} data-href={href} onClick={onClick} onAuxClick={onAuxClick}>
      {children}
    </g>
  );
}

/** The previous period as an outline behind each bar. */
function Ghost({ props, frame }: { props: StackedBarsProps; frame: Frame }) {
  const { ghost } = props;
  if (ghost === undefined) return null;
  return ghost.values.map((value, index) => {
    if (value <= 0) return null;
    const width = Math.min(frame.slot, frame.bar + 6);
    const x = index * frame.slot + (frame.slot - width) / 2;
    const y = frame.y(value);
    const height = Math.max(0, frame.y(0) - y);
    return <rect key={index} className={styles.ghost} x={x} y={y} width={width} height={height} />;
  });
}

const TOP = 10;
const BOTTOM = 28;
const AXIS_WIDTH = 52;
/** Padding on each side of a bar, as a share of its slot. */
const GAP_SHARE = 0.22;
const BAR_WIDTH_MAX = 44;
/** Half the width of a date label, for the labels at both ends of the axis. */
const LABEL_HALF = 26;
/** Assumed width of the tooltip until it has been measured. */
const READING_WIDTH = 222;
const TOOLTIP_GAP = 10;

const totalsOf = (series: readonly ChartSeries[], count: number): number[] =>
  Array.from({ length: count }, (_, index) => series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0));

function frameOf(props: StackedBarsProps, room: number, top: number): Frame {
  const count = Math.max(1, props.slots.length);
  const slot = Math.max(props.slotWidthMin, room / count);
  const plotHeight = props.height - TOP - BOTTOM;
  return {
    width: Math.max(room, slot * count),
    slot,
    bar: Math.min(BAR_WIDTH_MAX, Math.max(1, slot * (1 - 2 * GAP_SHARE))),
    plotHeight,
    y: (value) => TOP + plotHeight * (1 - value / top),
  };
}

function SlotLabels({ props, frame }: { props: StackedBarsProps; frame: Frame }) {
  const every = props.isEachLabelShown ? 1 : labelEvery(frame.slot, props.labelWidth);
  const last = props.slots.length - 1;
  return props.slots.map((slot, index) => {
    const x = (index + 0.5) * frame.slot;
    if (index % every !== 0 || slot.label === "") return null;
    const isCut = x + LABEL_HALF > frame.width && index === last;
    const anchor = x < LABEL_HALF ? "start" : isCut ? "end" : "middle";
    const at = anchor === "start" ? Math.max(0, x - frame.bar / 2) : anchor === "end" ? frame.width : x;
    return (
      <text key={slot.id} className={styles.tick} x={at} y={props.height - 8} textAnchor={anchor}>
        {slot.label}
      </text>
    );
  });
}

/** Left edge of a reading of the slot whose middle is `at`: right of it where there is room, else left of it, never outside. */
const readingPlace =
  (at: number, slot: number, room: number) =>
  (width: number): number => {
    const aside = slot / 2 + TOOLTIP_GAP;
    const left = at + aside + width <= room ? at + aside : at - aside - width;
    return Math.max(0, AXIS_WIDTH + left);
  };

interface ReadingProps {
  props: StackedBarsProps;
  index: number;
  /** Left edge of a reading so wide. */
  leftOf: (width: number) => number;
}

/** Its width depends on its longest name, so it is measured and placed before it becomes visible. */
function Reading({ props, index, leftOf }: ReadingProps) {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(READING_WIDTH);
  // The width differs by slot, because names and amounts do.
  useLayoutEffect(() => setWidth(box.current?.offsetWidth ?? READING_WIDTH), [props, index]);
  const slot = props.slots[index];
  const values = props.series.map((series) => series.values[index] ?? 0);
  const { parts, total } = props.read(values);
  if (slot === undefined) return null;
  return (
    <div ref={box} className={styles.tooltip} style={{ left: leftOf(width) }} aria-hidden>
      <div className={styles.tooltipHead}>
        <span>{slot.title}</span>
        <span className={styles.value}>{total}</span>
      </div>
      {props.series.map((series, place) =>
        (values[place] ?? 0) === 0 ? null : (
          <div key={series.id} className={styles.tooltipRow}>
            <Swatch color={series.color} />
            <span className={`${styles.name} ${series.isCode ? "mono" : ""}`}>{series.name}</span>
            <span className={styles.value}>{parts[place]}</span>
          </div>
        ),
      )}
      {ghostText(props, index) !== undefined && (
        <div className={styles.tooltipRow} data-is-ghost>
          <span className={styles.name}>{props.ghost?.name}</span>
          <span className={styles.value}>{ghostText(props, index)}</span>
        </div>
      )}
    </div>
  );
}

/** The value of the same slot in the previous period, as text. */
function ghostText({ ghost, read }: StackedBarsProps, index: number): string | undefined {
  const value = ghost?.values[index];
  return value === undefined ? undefined : read([value]).total;
}

/** The text of a slot for screen readers. */
function spoken(props: StackedBarsProps, index: number): string {
  const values = props.series.map((series) => series.values[index] ?? 0);
  const { parts, total } = props.read(values);
  const named = props.series.flatMap((series, place) =>
    (values[place] ?? 0) === 0 ? [] : [`${series.name} ${parts[place]}`],
  );
  const earlier = ghostText(props, index);
  const before = earlier === undefined ? [] : [`${props.ghost?.name ?? ""} ${earlier}`];
  const head = props.slots[index]?.title ?? "";
  return [total === "" ? head : `${head}: ${total}`, ...named, ...before].join("; ");
}

const STEPS: Record<string, number> = {
  ArrowRight: 1,
  ArrowUp: 1,
  ArrowLeft: -1,
  ArrowDown: -1,
  PageUp: 7,
  PageDown: -7,
};

/** The slot that the tooltip shows: the one under the pointer or the one chosen with the arrow keys. */
function useActive(count: number, frame: Frame, scroller: { current: HTMLDivElement | null }) {
  const [active, setActive] = useState<number>();
  const go = (index: number) => {
    const next = Math.max(0, Math.min(count - 1, index));
    setActive(next);
    const box = scroller.current;
    if (box === null) return;
    const x = (next + 0.5) * frame.slot;
    if (x < box.scrollLeft || x > box.scrollLeft + box.clientWidth) box.scrollTo({ left: x - box.clientWidth / 2 });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    const ends: Record<string, number> = { Home: 0, End: count - 1 };
    const target = step === undefined ? ends[event.key] : (active ?? count - (step > 0 ? 1 : 0)) + step;
    if (event.key === "Escape") setActive(undefined);
    if (target === undefined) return;
    event.preventDefault();
    go(target);
  };
  const onPointer = (event: ReactPointerEvent<HTMLElement>) => {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left;
    setActive(Math.max(0, Math.min(count - 1, Math.floor(x / frame.slot))));
  };
  const onPointerLeave = (event: ReactPointerEvent) => {
    // Lifting a finger fires this too; the touched slot stays selected until something else is touched.
    if (event.pointerType === "mouse") setActive(undefined);
  };
  return {
    active: active !== undefined && active < count ? active : undefined,
    onKeyDown,
    onPointer,
    onPointerLeave,
    leave: () => setActive(undefined),
  };
}

export function StackedBars(props: StackedBarsProps) {
  const { ref, width } = useElementSize<HTMLDivElement>();
  const scroller = useRef<HTMLDivElement>(null);
  const [scrolled, setScrolled] = useState(0);
  const merged = useMergedRef(ref, scroller);
  const { slots, series, per } = props;
  const totals = useMemo(() => totalsOf(series, slots.length), [series, slots.length]);
  const ghosts = props.ghost?.values ?? [];
  const ticks = roundTicks(Math.max(0, ...totals, ...ghosts) / per, props.isWhole);
  const top = (ticks.at(-1) ?? 1) * per;
  const step = ticks[1] ?? 1;
  const frame = frameOf(props, width, top);
  const state = useActive(slots.length, frame, scroller);
  const isEmpty = totals.every((total) => total === 0);
  const isMeasured = width > 0;
  // The newest data is at the end, so a scrolling chart starts there on its first paint.
  useLayoutEffect(() => {
    scroller.current?.scrollTo({ left: scroller.current.scrollWidth });
  }, [frame.width, isMeasured]);
  useSight(props, frame, width, scrolled);
  const following = useFollowing(props, state.active);
  const onKeyDown = (event: KeyboardEvent) => {
    following.onKeyDown(event);
    state.onKeyDown(event);
  };
  const at = state.active === undefined ? 0 : (state.active + 0.5) * frame.slot - scrolled;
  return (
    <div className={styles.chart} style={{ height: props.height }}>
      <div className={styles.axis} style={{ width: AXIS_WIDTH }} aria-hidden>
        {ticks.map((value) => (
          <span key={value} style={{ top: frame.y(value * per) }}>
            {props.tick(value * per, { step: step * per, top })}
          </span>
        ))}
      </div>
      <div ref={merged} className={styles.scroll} onScroll={(event) => setScrolled(event.currentTarget.scrollLeft)}>
        {isMeasured && (
          <div
            className={styles.plot}
            style={{ width: frame.width, height: props.height }}
            role="slider"
            tabIndex={0}
            aria-label={props.label}
            aria-valuemin={0}
            aria-valuemax={Math.max(0, slots.length - 1)}
            aria-valuenow={state.active ?? Math.max(0, slots.length - 1)}
            aria-valuetext={spoken(props, state.active ?? slots.length - 1)}
            onKeyDown={onKeyDown}
            onClickCapture={following.onClickCapture}
            onPointerMove={state.onPointer}
            onPointerDown={state.onPointer}
            onPointerLeave={state.onPointerLeave}
            onBlur={state.leave}
          >
            <svg width={frame.width} height={props.height} aria-hidden>
              <Rules heights={ticks.map((value) => frame.y(value * per))} width={frame.width} />
              {state.active !== undefined && !isEmpty && (
                <rect
                  className={styles.band}
                  x={state.active * frame.slot}
                  y={TOP}
                  width={frame.slot}
                  height={frame.plotHeight}
                />
              )}
              <Ghost props={props} frame={frame} />
              <Bars props={props} frame={frame} />
              <SlotLabels props={props} frame={frame} />
            </svg>
          </div>
        )}
      </div>
      {isEmpty && props.nothing}
      {state.active !== undefined && !isEmpty && (
        <Reading props={props} index={state.active} leftOf={readingPlace(at, frame.slot, width)} />
      )}
    </div>
  );
}

function Bars({ props, frame }: { props: StackedBarsProps; frame: Frame }) {
  return props.slots.map((slot, index) => <Column key={slot.id} index={index} props={props} frame={frame} />);
}

/** Hairlines of the ticks; the first one is the baseline. */
function Rules({ heights, width }: { heights: readonly number[]; width: number }) {
  return heights.map((height, index) => {
    const y = height + (index === 0 ? 0.5 : 0);
    return <line key={height} className={index === 0 ? styles.base : styles.rule} x1={0} x2={width} y1={y} y2={y} />;
  });
}

/** When a bar's link is followed: by Enter on what is read out, and by the second touch, since the first one reads. */
function useFollowing({ hrefOf, onOpen }: StackedBarsProps, active: number | undefined) {
  const touched = useRef<number>(undefined);
  return {
    onClickCapture: (event: MouseEvent) => {
      const isTouch = event.nativeEvent instanceof PointerEvent && event.nativeEvent.pointerType === "touch";
      if (isTouch && touched.current !== active) event.preventDefault();
      touched.current = active;
    },
    onKeyDown: (event: KeyboardEvent) => {
      const href = event.key === "Enter" && active !== undefined ? hrefOf?.(active, undefined) : undefined;
      if (href !== undefined) onOpen?.(href);
    },
  };
}

/** Reports which slots of a scrolling chart are visible. */
function useSight({ slots, onSight }: StackedBarsProps, frame: Frame, width: number, scrolled: number): void {
  const count = slots.length;
  const isAll = width === 0 || frame.width <= width + 1;
  const first = Math.min(count - 1, Math.ceil(scrolled / frame.slot - 0.5));
  const last = Math.min(count - 1, Math.floor((scrolled + width) / frame.slot - 0.5));
  useEffect(() => onSight?.(isAll ? undefined : { first, last }), [onSight, isAll, first, last]);
}
