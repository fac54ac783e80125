/** A strip of cells over time, as status pages have them: the pointer or the arrow keys choose a cell, which says its figures and may lead on. */
import { type KeyboardEvent, type MouseEvent, type PointerEvent, useState } from "react";
import { useRouter } from "@tanstack/react-router";
import styles from "./strip.module.css";

export interface StripCell {
  tone: "good" | "fair" | "bad" | "few" | "none";
  /** Part of it that is coloured as failed, 0 to 1. */
  faults: number;
}

interface StripProps {
  /** The subject of the strip. */
  label: string;
  cells: readonly StripCell[];
  /** The figures of a cell in words. */
  textOf: (index: number) => string;
  /** Where a cell leads; nowhere where absent. */
  hrefOf?: ((index: number) => string) | undefined;
}

/** The least that is seen of a failure, in percent of the height. */
const LEAST_FAULTS = 20;

const Cells = ({ cells, chosen }: { cells: readonly StripCell[]; chosen: number | undefined }) =>
  cells.map(({ tone, faults }, index) => (
    <i
      // Cells have no name but their place.
      key={index}
      className={styles.cell}
      data-tone={tone}
      data-is-chosen={index === chosen || undefined}
      style={{ "--faults": `${faults === 0 ? 0 : Math.max(LEAST_FAULTS, faults * 100)}%` } as React.CSSProperties}
    />
  ));

/** The figures above the chosen cell, within the strip; where they are wider than it, from its start, so that they cover no name before it. */
function Words({ text, place }: { text: string; place: number }) {
  return (
    <output className={styles.words} style={{ transform: `translateX(max(0px, ${place} * (100cqw - 100%)))` }}>
      {text}
    </output>
  );
}

/** The cell that pointer or keys have chosen. */
function useChosen(count: number) {
  const [chosen, setChosen] = useState<number>();
  const onPointer = (event: PointerEvent<HTMLElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const index = Math.floor(((event.clientX - left) / Math.max(1, width)) * count);
    setChosen(Math.min(count - 1, Math.max(0, index)));
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -count, End: count }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    setChosen((old) => Math.min(count - 1, Math.max(0, (old ?? count - 1) + step)));
  };
  const handlers = {
    onPointerDown: onPointer,
    onPointerMove: onPointer,
    onPointerLeave: () => setChosen(undefined),
    onKeyDown,
    onFocus: () => setChosen((old) => old ?? count - 1),
    onBlur: () => setChosen(undefined),
  };
  return { chosen, handlers };
}

export function Strip({ label, cells, textOf, hrefOf }: StripProps) {
  const router = useRouter();
  const { chosen, handlers } = useChosen(cells.length);
  const shown = chosen ?? cells.length - 1;
  const name = `${label}: ${textOf(shown)}`;
  const place = cells.length < 2 ? 0 : shown / (cells.length - 1);
  const parts = (
    <>
      <span className={styles.cells}>
        <Cells cells={cells} chosen={chosen} />
      </span>
      {chosen !== undefined && <Words text={textOf(chosen)} place={place} />}
    </>
  );
  if (hrefOf === undefined)
    return (
      <div className={styles.strip} role="img" aria-label={name} tabIndex={0} {...handlers}>
        {parts}
      </div>
    );
  const href = hrefOf(shown);
  // A new tab works as with every link.
  const onClick = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    router.history.push(href);
  };
  return (
    <a className={styles.strip} href={href} aria-label={name} onClick={onClick} {...handlers}>
      {parts}
    </a>
  );
}
