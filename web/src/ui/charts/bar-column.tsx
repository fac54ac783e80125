/** One bar of stacked bars: its parts, each a link, and the outline of the previous period behind it. */
import type { MouseEvent, ReactNode } from "react";
import { chartColor } from "../../lib/model-colors.ts";
import type { Frame, StackedBarsProps } from "./chart-props.ts";
import styles from "./charts.module.css";

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

export function Column({ index, props, frame }: ColumnProps) {
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
export function Ghost({ props, frame }: { props: StackedBarsProps; frame: Frame }) {
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
