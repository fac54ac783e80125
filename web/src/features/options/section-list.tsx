/** The list of a tab's sections: which one is being read, and which have changes; scrolling to another. On a phone it is a row that scrolls. */
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { OptionSection } from "../../../../contract/src/options/sections.ts";
import { useStore } from "../../lib/store.ts";
import { useSettings } from "./draft/settings.ts";
import { sectionId } from "./rows/option-section.tsx";
import styles from "./page.module.css";

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

/** Sections with unsaved changes. */
function useChanged(): ReadonlySet<string> {
  const { store, descriptions } = useSettings();
  const { entries } = useStore(store);
  return new Set([...entries.keys()].map((name) => descriptions.get(name)?.section ?? ""));
}

/** Keeps the current one in sight where the list is a row. Only sideways: the page itself must not move. */
function useInSight(current: string | undefined) {
  const list = useRef<HTMLElement>(null);
  useEffect(() => {
    const row = list.current;
    const item = row?.querySelector<HTMLElement>("[aria-current]");
    if (!row || !item || row.scrollWidth <= row.clientWidth) return;
    row.scrollTo({ left: item.offsetLeft - row.clientWidth / 2 + item.clientWidth / 2 });
  }, [current]);
  return list;
}

export function SectionList({
  sections,
  current,
  onOpen,
}: {
  sections: readonly OptionSection[];
  current: OptionSection | undefined;
  onOpen: (section: OptionSection) => void;
}) {
  const { t } = useTranslation("options");
  const changed = useChanged();
  const list = useInSight(current);
  return (
    <nav ref={list} className={styles.sections} aria-label={t("sections")}>
      {sections.map((section) => (
        <button
          key={section}
          type="button"
          className={styles.section}
          aria-current={section === current ? "true" : undefined}
          onClick={() => onOpen(section)}
        >
          <span>{t(`section.${section}.title`)}</span>
          {changed.has(section) && <i className={styles.dot} role="img" aria-label={t("changed")} />}
        </button>
      ))}
    </nav>
  );
}
