/** Text that was typed into a box of chips but not added: the form around the box stops at it instead of dropping it. */
import { createContext, useContext, useEffect, useRef, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";

/** Whether text is left in a box; if so, its field says so from now on. */
type StopAtText = () => boolean;

/** The boxes of the form around; FormDrawer provides it. */
export const PendingBoxes = createContext<Set<StopAtText> | undefined>(undefined);

/** Whether any box holds text that was not added. Every such box shows it at its field. */
export const stopsAtText = (boxes: ReadonlySet<StopAtText>): boolean =>
  [...boxes].map((stop) => stop()).some((isLeft) => isLeft);

/**
 * Makes the form around stop at `typed` until it is added or removed.
 * @returns the error of the field, once the form stopped at this text
 */
export function usePendingText(typed: string): string | undefined {
  const { t } = useTranslation("ui");
  const boxes = useContext(PendingBoxes);
  const [stoppedAt, setStoppedAt] = useState("");
  const text = typed.trim();
  const latest = useRef(text);
  useEffect(() => {
    latest.current = text;
  });
  useEffect(() => {
    const stop = () => {
      setStoppedAt(latest.current);
      return latest.current !== "";
    };
    boxes?.add(stop);
    return () => void boxes?.delete(stop);
  }, [boxes]);
  return text !== "" && text === stoppedAt ? t("notAdded", { text }) : undefined;
}
