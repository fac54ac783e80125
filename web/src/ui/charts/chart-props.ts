/** Props and data of stacked bars. */
import type { ReactNode } from "react";

export interface ChartSeries {
  id: string;
  name: string;
  /** Index in the palette, 1 to 10. */
  color: number;
  /** Model names are set in mono. */
  isCode: boolean;
  values: readonly number[];
}

export interface ChartSlot {
  id: string;
  /** Label below the axis. */
  label: string;
  /** Heading of the tooltip. */
  title: string;
}

export interface StackedBarsProps {
  label: string;
  slots: readonly ChartSlot[];
  /** From bottom to top; tooltip and legend have the same order. */
  series: readonly ChartSeries[];
  /** Texts of one slot's values and of their sum, rounded so that they add up. */
  read: (values: readonly number[]) => { parts: string[]; total: string };
  /** Text of a tick, which is round in `value / per`; `step` and `top` of the axis say which decimals and unit it needs. */
  tick: (value: number, axis: { step: number; top: number }) => string;
  per: number;
  isWhole: boolean;
  height: number;
  /** Minimum width of a slot; a chart without enough room scrolls sideways and starts at its end. */
  slotWidthMin: number;
  labelWidth: number;
  /** Draws every label that is not blank, instead of only as many as fit. */
  isEachLabelShown: boolean;
  /** The series that is highlighted elsewhere; the others fade. */
  active?: string | undefined;
  /** Sums of the previous period by slot, drawn behind the bars. */
  ghost?: { values: readonly number[]; name: string } | undefined;
  /** Link target of a part of a bar or of a whole slot, if it has one. */
  hrefOf?: ((slot: number, seriesId: string | undefined) => string | undefined) | undefined;
  /** Navigates to such a target without reloading the page. */
  onOpen?: ((href: string) => void) | undefined;
  /** Called with the visible slots where not all of them fit. */
  onSight?: ((sight: { first: number; last: number } | undefined) => void) | undefined;
  /** Shown instead of bars where there is no data. */
  nothing?: ReactNode;
}

/** Dimensions of the drawing in pixels. */
export interface Frame {
  width: number;
  slot: number;
  bar: number;
  plotHeight: number;
  /** y of a value. */
  y: (value: number) => number;
}
