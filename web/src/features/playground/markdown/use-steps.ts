/** Shows a growing text in steps that the page can draw within a frame, however fast it arrives. */
import { useEffect, useRef, useState } from "react";

/** Characters that a frame adds to what is shown: it begins in the middle, halves where frames become late, and grows again. */
const STEP = { first: 400, least: 100, most: 4_000, growth: 1.1 };
/** A frame that takes longer than this is late. */
const LATE_MS = 30;

/** The end of a step of so many characters, which divides none. Pure. */
export function endOf(text: string, from: number, step: number): number {
  const end = Math.min(text.length, from + Math.round(step));
  return end < text.length && /[\uD800-\uDBFF]/.test(text.charAt(end - 1)) ? end - 1 : end;
}

/** Characters of the next step, by how long the last one took. Pure. */
export const nextStep = (step: number, tookMs: number): number =>
  tookMs > LATE_MS ? Math.max(STEP.least, step / 2) : Math.min(STEP.most, step * STEP.growth);

/**
 * The part of `text` that is shown now. Work that waits for a pause would wait for the end of a fast answer, and then draw all
 * of it at once.
 * @param isWhole the text was there before: all of it is shown from the first
 */
export function useSteps(text: string, isWhole: boolean): string {
  const [length, setLength] = useState(() => (isWhole ? text.length : endOf(text, 0, STEP.first)));
  const latest = useRef(text);
  const pace = useRef({ step: STEP.first, atMs: 0 });
  useEffect(() => {
    latest.current = text;
  });
  const isBehind = length < text.length;
  useEffect(() => {
    if (!isBehind) return undefined;
    const frame = requestAnimationFrame((nowMs) => {
      const { step, atMs } = pace.current;
      pace.current = { step: nextStep(step, nowMs - atMs), atMs: nowMs };
      setLength(endOf(latest.current, length, step));
    });
    return () => cancelAnimationFrame(frame);
  }, [isBehind, length]);
  return text.slice(0, length);
}
