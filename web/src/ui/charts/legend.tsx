/** The legend of a chart: hovering highlights a series, a click isolates it, Shift or Ctrl and a click hides it. Each entry has a link beside it. */
import type { MouseEvent, ReactNode } from "react";
import { Swatch } from "./bars.tsx";
import styles from "./charts.module.css";
import { type Hidden, isolated, toggled } from "./series-choice.ts";

export interface LegendEntry {
  id: string;
  name: string;
  color: number;
  isCode: boolean;
}

export interface LegendProps {
  entries: readonly LegendEntry[];
  label: string;
  /** Tooltip that says what a click does. */
  hint: string;
  hidden: Hidden;
  onHidden: (hidden: Hidden) => void;
  onPoint: (id: string | undefined) => void;
  /** Link target of the entry. */
  linkOf: (entry: LegendEntry) => ReactNode;
}

export function Legend({ entries, label, hint, hidden, onHidden, onPoint, linkOf }: LegendProps) {
  const all = entries.map(({ id }) => id);
  const onClick = (event: MouseEvent, id: string) => {
    const leavesOut = event.shiftKey || event.ctrlKey || event.metaKey;
    onHidden(leavesOut ? toggled(all, hidden, id) : isolated(all, hidden, id));
  };
  return (
    <ul className={styles.legend} aria-label={label}>
      {entries.map((entry) => (
        <li
          key={entry.id}
          data-is-hidden={hidden.has(entry.id) || undefined}
          onPointerEnter={() => onPoint(entry.id)}
          onPointerLeave={() => onPoint(undefined)}
        >
          <button
            type="button"
            className={styles.legendButton}
            aria-pressed={!hidden.has(entry.id)}
            title={`${entry.name}\n${hint}`}
            onClick={(event) => onClick(event, entry.id)}
            onFocus={() => onPoint(entry.id)}
            onBlur={() => onPoint(undefined)}
          >
            <Swatch color={entry.color} />
            <span className={`${styles.legendName} ${entry.isCode ? "mono" : ""}`}>{entry.name}</span>
          </button>
          {linkOf(entry)}
        </li>
      ))}
    </ul>
  );
}
