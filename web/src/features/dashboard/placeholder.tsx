/** The dashboard before its first answer, at the heights it will have. */
import { CallTiles } from "./call-tiles.tsx";
import styles from "./dashboard.module.css";
import { TilesPlaceholder } from "./tiles.tsx";

/** Percent of the room there is: bars and lines as uneven as those to come. */
const BONE_HEIGHTS = [34, 52, 28, 46, 70, 62, 40, 24, 58, 66, 48, 36, 74, 54];
const BONE_WIDTHS = [88, 72, 80, 56, 64, 40];

/** The chart's card, also while only its own numbers are waited for. */
export function ChartPlaceholder() {
  return (
    <div className={`${styles.card} ${styles.chartCard}`} aria-hidden>
      <div className={styles.cardHead}>
        <span className={styles.bone} style={{ width: 96 }} />
      </div>
      <div className={styles.boneBars}>
        {BONE_HEIGHTS.map((height, index) => (
          <span key={index} className={styles.boneBar} style={{ height: `${height}%` }} />
        ))}
      </div>
    </div>
  );
}

function Lines() {
  return (
    <div className={styles.card} aria-hidden>
      <div className={styles.cardHead}>
        <span className={styles.bone} style={{ width: 96 }} />
      </div>
      {BONE_WIDTHS.map((width) => (
        <span key={width} className={styles.bone} style={{ width: `${width}%`, marginBlock: 8 }} />
      ))}
    </div>
  );
}

export function Placeholder({ cards }: { cards: 2 | 3 }) {
  return (
    <>
      <TilesPlaceholder count={cards === 3 ? 5 : 4} />
      <CallTiles report={undefined} callMeasure={undefined} onChange={() => undefined} />
      <ChartPlaceholder />
      <div className={styles.cards} data-count={cards}>
        {Array.from({ length: cards }, (_, index) => (
          <Lines key={index} />
        ))}
      </div>
    </>
  );
}
