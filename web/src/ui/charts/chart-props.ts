/** What stacked bars are drawn from. */
import type { ReactNode } from "react";

export interface ChartSeries {
  id: string;
  name: string;
  /** Place in the palette, 1 to 10. */
  color: number;
  /** Model names are set in mono. */
  isCode: boolean;
  values: readonly number[];
}

export interface ChartSlot {
  id: string;
  /** Below the axis. */
  label: string;
  /** Head of the reading. */
  title: string;
}

export interface StackedBarsProps {
  label: string;
  slots: readonly ChartSlot[];
  /** Bottom first; the reading and the legend have the same order. */
  series: readonly ChartSeries[];
  /** Texts of one slot's values and of their sum, rounded so that they add up. */
  read: (values: readonly number[]) => { parts: string[]; total: string };
  /** Text of a tick, which is round in `value / per`; `step` and `top` of the axis say which decimals and unit it needs. */
  tick: (value: number, axis: { step: number; top: number }) => string;
  per: number;
  isWhole: boolean;
  height: number;
  /** Slots are never narrower: the chart then scrolls sideways, from its end. */
  slotWidthMin: number;
  labelWidth: number;
  /** Every label that is not blank is drawn, instead of as many as fit. */
  isEachLabelShown: boolean;
  /** The series pointed at elsewhere: the others step back. */
  active?: string | undefined;
  /** Sums of an earlier time by slot, drawn behind the bars. */
  ghost?: { values: readonly number[]; name: string } | undefined;
  /** Where a bar leads, if anywhere: a part of it, or the slot as a whole. */
  hrefOf?: ((slot: number, seriesId: string | undefined) => string | undefined) | undefined;
  /** Follows such a link inside the page. */
  onOpen?: ((href: string) => void) | undefined;
  /** Told which slots are in sight, where not all are. */
  onSight?: ((sight: { first: number; last: number } | undefined) => void) | undefined;
  /** In the place of bars where there is nothing. */
  nothing?: ReactNode;
}

/** Measures of the drawing, in pixels. */
export interface Frame {
  width: number;
  slot: number;
  bar: number;
  plotHeight: number;
  /** y of a value. */
  y: (value: number) => number;
}
