/** The card of the login and set-up pages; the lanes of the logo run into it from both sides. */
import type { ReactNode } from "react";
import styles from "./entry-card.module.css";

/** For each lane, its height at the window's edge and at the card, measured from the top of an area 840 px high. */
const LANES: readonly (readonly [number, number])[] = [
  [0, 319],
  [123, 348],
  [236, 376],
  [332, 399],
  [420, 420],
  [507, 441],
  [603, 464],
  [716, 492],
  [840, 521],
];

/** Dots that stand for calls: position along the width (470 units) and height. */
const DOTS: readonly (readonly [number, number])[] = [
  [235, 140],
  [179, 273],
  [270, 470],
  [116, 692],
];

function Lanes({ side }: { side: "left" | "right" }) {
  return (
    <svg
      className={`${styles.lanes} ${styles[side]}`}
      viewBox="0 0 470 840"
      preserveAspectRatio="none"
      aria-hidden="true"
      focusable="false"
    >
      {LANES.map(([from, to]) => (
        <path key={from} className={styles.lane} d={`M0 ${from} C 215 ${from} 255 ${to} 470 ${to}`} />
      ))}
      {side === "left" && DOTS.map(([x, y]) => <path key={x} className={styles.dot} d={`M${x} ${y}h.01`} />)}
    </svg>
  );
}

/** @param width of the card in px: 500 for login, 560 for set-up. `above` and `below` stand outside of it. */
export function EntryCard({
  width,
  above,
  below,
  children,
}: {
  width: number;
  above?: ReactNode;
  below?: ReactNode;
  children: ReactNode;
}) {
  return (
    <div
      className={`${styles.place} ${above ? styles.beneath : styles.centred}`}
      style={{ ["--card-width" as string]: `${width}px` }}
    >
      {above}
      <div className={styles.holder}>
        <Lanes side="left" />
        <Lanes side="right" />
        <div className={styles.card}>{children}</div>
      </div>
      {below}
    </div>
  );
}

/** The title block over a card. */
export const EntryTitle = ({ title, subtitle }: { title: string; subtitle: string }) => (
  <div className={styles.above}>
    <h1 className={styles.title}>{title}</h1>
    <p className={styles.subtitle}>{subtitle}</p>
  </div>
);
