/** Follows which section of a tab is being read, and scrolls to another. */
import { useEffect, useState } from "react";
import type { OptionSection } from "../../../../contract/src/options/sections.ts";
import { sectionId } from "./rows/option-section.tsx";

/** A section counts as read once its head is this far below the top of the window. */
const READ_AT_PX = 220;

const elementOf = (section: string): HTMLElement | null => document.getElementById(sectionId(section));

/** The parent that scrolls; on a phone that is the window. */
function scrollerOf(element: Element): Element {
  for (let parent = element.parentElement; parent !== null; parent = parent.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(parent).overflowY) && parent.scrollHeight > parent.clientHeight)
      return parent;
  }
  return document.documentElement;
}

/** The last section whose head has come up; at the very end the last one that is in sight. */
function readSection(sections: readonly OptionSection[]): OptionSection | undefined {
  const last = sections.at(-1);
  const lastElement = last === undefined ? null : elementOf(last);
  if (lastElement !== null) {
    const { scrollTop, clientHeight, scrollHeight } = scrollerOf(lastElement);
    if (scrollTop > 0 && scrollTop + clientHeight >= scrollHeight - 2) return last;
  }
  const isRead = (section: string) => (elementOf(section)?.getBoundingClientRect().top ?? Infinity) <= READ_AT_PX;
  return sections.findLast(isRead) ?? sections[0];
}

/** @param sections those that stand below one another, in order */
export function useReadSection(sections: readonly OptionSection[]): OptionSection | undefined {
  const [current, setCurrent] = useState<OptionSection>();
  const names = sections.join();
  useEffect(() => {
    const watched = names.split(",") as OptionSection[];
    let frame = 0;
    const look = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => setCurrent(readSection(watched)));
    };
    look();
    // What scrolls is the sheet, or on a phone the window: scroll events of both are seen on their way down.
    document.addEventListener("scroll", look, { capture: true, passive: true });
    return () => {
      cancelAnimationFrame(frame);
      document.removeEventListener("scroll", look, { capture: true });
    };
  }, [names]);
  return current !== undefined && sections.includes(current) ? current : sections[0];
}

export function scrollToSection(section: string): void {
  elementOf(section)?.scrollIntoView({ block: "start" });
}
