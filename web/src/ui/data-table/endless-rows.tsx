/** The rows of a table that goes on by scrolling: blocks of them, of which only those near the view are drawn, and the place to which Back returns. */
import { type ReactNode, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { PlainButton, Spinner } from "../plain.tsx";
import styles from "./endless-rows.module.css";

/** How the list continues behind its last block. */
export interface More {
  hasMore: boolean;
  isLoading: boolean;
  /** The next block could not be loaded. */
  isFailed: boolean;
  onMore: () => void;
  /** Said at the end, where more is not offered although there may be some. */
  endNote?: string | undefined;
}

interface EndlessProps<Row> {
  /** As they were loaded; a block stays the same array until its rows change. */
  blocks: readonly (readonly Row[])[];
  draw: (row: Row) => ReactNode;
  /** Of a grid; undefined for cards. */
  columns: number | undefined;
  /** Names each part of a list of cards. */
  label: string;
  /** Class of a list of cards. */
  cardsClass: string;
  more: More;
  /** The entry of the browser's history; its place in the list is kept. */
  entry: string;
}

/** What lies further from the view than this is not drawn. */
const NEAR = "900px 0px";

/** Heights in px of blocks that were drawn once. */
const heights = new WeakMap<readonly unknown[], number>();

const PLACES_MAX = 50;
/** How far down each entry of the history was scrolled, in px; the latest ones. */
const places = new Map<string, number>();

/** Whether the first rows of the list are in view. */
export const isAtTop = (entry: string): boolean => (places.get(entry) ?? 0) < 40;

function keepPlace(entry: string, topPx: number): void {
  places.delete(entry);
  places.set(entry, topPx);
  const [oldest] = places.keys();
  if (places.size > PLACES_MAX && oldest !== undefined) places.delete(oldest);
}

/** The element that scrolls what is in `element`; the page's own where none does. */
function scrollerOf(element: Element): Element | null {
  for (let parent = element.parentElement; parent !== null; parent = parent.parentElement)
    if (/auto|scroll/.test(getComputedStyle(parent).overflowY)) return parent;
  return null;
}

/** Returns to where this entry of the history was left, and remembers where it is. */
function usePlace(element: React.RefObject<HTMLElement | null>, entry: string): void {
  useLayoutEffect(() => {
    if (element.current === null) return undefined;
    const own = scrollerOf(element.current);
    const scroller = own ?? document.documentElement;
    const top = places.get(entry);
    if (top !== undefined) scroller.scrollTop = top;
    else if (own !== null) own.scrollTop = 0;
    const remember = () => keepPlace(entry, scroller.scrollTop);
    const target = own ?? document;
    target.addEventListener("scroll", remember, { passive: true });
    return () => target.removeEventListener("scroll", remember);
  }, [element, entry]);
}

/** Calls back whenever the element comes near the view or leaves it. */
function useNear(element: React.RefObject<HTMLElement | null>, onChange: (seen: IntersectionObserverEntry) => void) {
  const change = useEffectEvent(onChange);
  useEffect(() => {
    if (element.current === null) return undefined;
    const observer = new IntersectionObserver(
      (seen) => {
        const last = seen.at(-1);
        if (last !== undefined) change(last);
      },
      { root: scrollerOf(element.current), rootMargin: NEAR },
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
}

function Spacer({ heightPx, columns }: { heightPx: number; columns: number | undefined }) {
  const height = { style: { height: heightPx }, "aria-hidden": true } as const;
  if (columns === undefined) return <li className={styles.spacer} data-goes-on {...height} />;
  return (
    <tr data-goes-on {...height}>
      <td className={styles.spacer} colSpan={columns} />
    </tr>
  );
}

function Block<Row>({
  rows,
  draw,
  columns,
  label,
  cardsClass,
}: Omit<EndlessProps<Row>, "blocks"> & { rows: readonly Row[] }) {
  const ref = useRef<HTMLElement>(null);
  // One that was measured before is in a list that Back returned to: those in view are drawn at once afterwards.
  const [isDrawn, setIsDrawn] = useState(() => !heights.has(rows));
  useNear(ref, ({ isIntersecting, target, boundingClientRect }) => {
    if (isIntersecting) return setIsDrawn(true);
    // What has the focus stays, or the keys would go on from the top of the page.
    if (target.contains(document.activeElement)) return undefined;
    heights.set(rows, boundingClientRect.height);
    return setIsDrawn(false);
  });
  const content = isDrawn ? rows.map(draw) : <Spacer heightPx={heights.get(rows) ?? 0} columns={columns} />;
  if (columns !== undefined) return <tbody ref={ref as React.RefObject<HTMLTableSectionElement>}>{content}</tbody>;
  return (
    <ul ref={ref as React.RefObject<HTMLUListElement>} className={cardsClass} aria-label={label}>
      {content}
    </ul>
  );
}

/** The end of what is loaded: it loads on while it is near the view. `count` is the number of blocks above it. */
function End({ more, count }: { more: More; count: number }) {
  const { t } = useTranslation("ui");
  const ref = useRef<HTMLDivElement>(null);
  const { hasMore, isLoading, isFailed, onMore, endNote } = more;
  const [isNear, setIsNear] = useState(false);
  useNear(ref, ({ isIntersecting }) => setIsNear(isIntersecting));
  const load = useEffectEvent(onMore);
  const shallLoad = isNear && hasMore && !isLoading && !isFailed;
  // A block can come before this was drawn as loading: its count says so too, or the list would never load on.
  useEffect(() => {
    if (shallLoad) load();
  }, [shallLoad, count]);
  return (
    <div ref={ref} className={styles.end} role="status" data-goes-on={(hasMore && !isFailed) || undefined}>
      {isLoading && (
        <>
          <Spinner /> {t("table.loadingMore")}
        </>
      )}
      {isFailed && !isLoading && (
        <>
          {t("table.moreFailed")} <PlainButton onClick={onMore}>{t("table.retryMore")}</PlainButton>
        </>
      )}
      {!hasMore && endNote}
    </div>
  );
}

/**
 * Put into a table as its `layOut`. The number of elements stays bounded however long the list grows.
 * @example <DataTable layOut={(parts) => <EndlessRows {...parts} blocks={pages} more={more} entry={entry} />} … />
 */
export function EndlessRows<Row>({ blocks, ...props }: EndlessProps<Row>) {
  const top = useRef<HTMLTableSectionElement & HTMLDivElement>(null);
  usePlace(top, props.entry);
  const { columns } = props;
  // A block is the same one while the rows before it are.
  const drawn = blocks.map((rows, index) => <Block key={index} {...props} rows={rows} />);
  const end = <End more={props.more} count={blocks.length} />;
  if (columns === undefined)
    return (
      <div ref={top}>
        {drawn}
        {end}
      </div>
    );
  return (
    <>
      {drawn}
      <tbody ref={top}>
        <tr>
          <td className={styles.spacer} colSpan={columns}>
            {end}
          </td>
        </tr>
      </tbody>
    </>
  );
}
