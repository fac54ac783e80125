/** The tabs of the settings page, the list of sections, and the open tab: its sections below one another, or one panel alone. */
import { type ComponentType, Suspense, useEffect, useRef, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { flushSync } from "react-dom";
import {
  OPTION_PAGES,
  OPTION_SECTIONS,
  type OptionPage,
  type OptionSection,
} from "../../../../contract/src/options/sections.ts";
import { useSearchState } from "../../lib/search.ts";
import { useSettings, useSectionDraft } from "./draft/settings.ts";
import { showOption } from "./jump.ts";
import { BodyLoading, PanelLoading } from "./loading.tsx";
import { settingSearch } from "./route.ts";
import { SECTION_PARTS, type SectionPart } from "./sections/parts.tsx";
import { SearchInput } from "./search-input.tsx";
import { WithTabTexts } from "./tab-texts.tsx";
import styles from "./page.module.css";
import { useStore } from "../../lib/store.ts";
import { useAskedTurn } from "./turn.ts";
import { OptionRow } from "./rows/option-row.tsx";
import rowsStyles from "./rows/rows.module.css";

const sectionId = (section: string): string => `section-${section}`;

function Part({ part: Drawn }: { part: SectionPart }) {
  const draft = useSectionDraft();
  return <Drawn draft={draft} />;
}

/** Title and purpose; panels that stand alone have the same. */
function SectionHead({ section }: { section: OptionSection }) {
  const { t } = useTranslation("options");
  return (
    <>
      <h2 className={rowsStyles.title}>{t(`section.${section}.title`)}</h2>
      <p className={rowsStyles.purpose}>{t(`section.${section}.purpose`)}</p>
    </>
  );
}

/** One section of the page: its title, what it is for, the parts of its own, and its options. */
function OptionSectionRows({ section, options }: { section: OptionSection; options: readonly string[] }) {
  const { before, after, fields = {} } = SECTION_PARTS[section] ?? {};
  return (
    <section className={rowsStyles.section} id={sectionId(section)} data-section={section}>
      <SectionHead section={section} />
      {before !== undefined && <Part part={before} />}
      {options.map((name) => (
        <OptionRow key={name} name={name} control={fields[name]} />
      ))}
      {after !== undefined && <Part part={after} />}
    </section>
  );
}

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

/** Whether the page shows the section to which the address led: an option in the middle of the window leaves the head of its section below the line. */
function isShown(section: OptionSection | undefined, isAtEnd: boolean): section is OptionSection {
  const place = section === undefined ? undefined : elementOf(section)?.getBoundingClientRect();
  if (place === undefined) return false;
  const { top, bottom } = place;
  return bottom >= READ_AT_PX && top <= (isAtEnd ? window.innerHeight : window.innerHeight / 2);
}

/** The section that was asked for while it is shown, else the last one whose head has come up; at the very end the last one that is in sight. */
function readSection(sections: readonly OptionSection[], asked: OptionSection | undefined): OptionSection | undefined {
  const last = sections.at(-1);
  const lastElement = last === undefined ? null : elementOf(last);
  let isAtEnd = false;
  if (lastElement !== null) {
    const { scrollTop, clientHeight, scrollHeight } = scrollerOf(lastElement);
    isAtEnd = scrollTop > 0 && scrollTop + clientHeight >= scrollHeight - 2;
  }
  if (isShown(asked, isAtEnd)) return asked;
  if (isAtEnd) return last;
  const isRead = (section: string) => (elementOf(section)?.getBoundingClientRect().top ?? Infinity) <= READ_AT_PX;
  return sections.findLast(isRead) ?? sections[0];
}

/** @param sections those that stand below one another, in order @param asked the one that the address names */
function useReadSection(
  sections: readonly OptionSection[],
  asked: OptionSection | undefined,
): OptionSection | undefined {
  const [current, setCurrent] = useState<OptionSection>();
  const names = sections.join();
  useEffect(() => {
    const watched = names.split(",") as OptionSection[];
    let frame = 0;
    const look = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => setCurrent(readSection(watched, asked)));
    };
    look();
    // What scrolls is the sheet, or on a phone the window: scroll events of both are seen on their way down.
    document.addEventListener("scroll", look, { capture: true, passive: true });
    return () => {
      cancelAnimationFrame(frame);
      document.removeEventListener("scroll", look, { capture: true });
    };
  }, [names, asked]);
  return current !== undefined && sections.includes(current) ? current : sections[0];
}

function scrollToSection(section: string): void {
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

/** The list of a tab's sections: which one is being read, and which have changes; scrolling to another. On a phone it is a row that scrolls. */
function SectionList({
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

type Search = ComponentType<{ typed: string; hasFocus: boolean }>;

/** The search over all settings, a plain field before its first use; the part that finds loads with that. */
function SearchOnUse() {
  const [text, setText] = useState("");
  const [loaded, setLoaded] = useState<{ Search: Search; hasFocus: boolean }>();
  const input = useRef<HTMLInputElement>(null);
  if (loaded !== undefined) return <loaded.Search typed={text} hasFocus={loaded.hasFocus} />;
  const load = async () => {
    const { SettingSearch } = await import("./setting-search.tsx");
    const hasFocus = document.activeElement === input.current;
    // At once, so that no key falls between the two.
    flushSync(() => setLoaded({ Search: SettingSearch, hasFocus }));
  };
  return (
    <SearchInput
      ref={input}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onPointerEnter={() => void load()}
      onFocus={() => void load()}
    />
  );
}

/** Sections that a part of another feature draws, alone on the page; the rest are lists of options. */
export type SettingPanels = Partial<Record<OptionSection, ComponentType>>;

/** The options of each section, in order. */
function useOptionsOf(): (section: OptionSection) => readonly string[] {
  const { descriptions } = useSettings();
  const all = [...descriptions.values()];
  return (section) => all.filter((each) => each.section === section).map(({ key }) => key);
}

/** The tab and section that the address asks for; an option stands in a section of its own. */
function usePlace(): { tab: OptionPage; asked: OptionSection | undefined; option: string | undefined } {
  const { descriptions } = useSettings();
  const [search] = useSearchState(settingSearch);
  const place = search.option === undefined ? undefined : descriptions.get(search.option);
  const tab = place?.page ?? OPTION_PAGES.find((page) => page === search.tab) ?? "operation";
  const sections: readonly OptionSection[] = OPTION_SECTIONS[tab];
  const wanted = place?.section ?? search.section;
  return { tab, asked: sections.find((section) => section === wanted), option: place?.key };
}

function TabRow({ tab }: { tab: OptionPage }) {
  const { t } = useTranslation("options");
  const [, change] = useSearchState(settingSearch);
  const open = (page: OptionPage) => {
    change({ tab: page, section: undefined, option: undefined });
    // The sheet scrolls, or on a phone the window.
    document.getElementById("content")?.scrollTo({ top: 0 });
    window.scrollTo({ top: 0 });
  };
  return (
    <div className={styles.top}>
      <nav className={styles.tabs} aria-label={t("tabs")}>
        {OPTION_PAGES.map((page) => (
          <button
            key={page}
            type="button"
            className={styles.tab}
            aria-current={page === tab ? "page" : undefined}
            onClick={() => open(page)}
          >
            {t(`page.${page}`)}
          </button>
        ))}
      </nav>
      <div className={styles.search}>
        <SearchOnUse />
      </div>
    </div>
  );
}

/** Stands behind the sections, so that it goes to the asked one once all of them are there. */
function Arrival({ asked, option }: { asked: OptionSection | undefined; option: string | undefined }) {
  // The page may be open already, at the very option.
  const turn = useAskedTurn();
  useEffect(() => {
    if (option !== undefined) showOption(option);
    else if (asked !== undefined) scrollToSection(asked);
  }, [option, asked]);
  useEffect(() => {
    if (turn !== undefined && turn.option === option) showOption(option);
  }, [option, turn]);
  return null;
}

/** The open tab: the list of its sections beside them. */
function TabBody({ tab, asked, option, panels }: ReturnType<typeof usePlace> & { panels: SettingPanels }) {
  const [, change] = useSearchState(settingSearch);
  const optionsOf = useOptionsOf();
  const all: readonly OptionSection[] = OPTION_SECTIONS[tab];
  const listed = all.filter((section) => panels[section] === undefined);
  const shown = listed.filter((section) => optionsOf(section).length > 0 || SECTION_PARTS[section] !== undefined);
  const Panel = asked === undefined ? undefined : panels[asked];
  const read = useReadSection(Panel === undefined ? shown : [], asked);
  const open = (section: OptionSection) => {
    change({ tab, section, option: undefined });
    scrollToSection(section);
  };
  return (
    <div className={styles.body}>
      <SectionList
        sections={all.filter((section) => shown.includes(section) || panels[section] !== undefined)}
        current={Panel === undefined ? read : asked}
        onOpen={open}
      />
      <div className={styles.content} data-is-panel={Panel !== undefined || undefined}>
        {Panel === undefined ? (
          // All at once: a part that comes later would move what is being read.
          <Suspense fallback={<PanelLoading />}>
            {shown.map((section) => (
              <OptionSectionRows key={section} section={section} options={optionsOf(section)} />
            ))}
            <Arrival asked={asked} option={option} />
          </Suspense>
        ) : (
          <Suspense fallback={<PanelLoading />}>
            {asked !== undefined && <SectionHead section={asked} />}
            <Panel />
          </Suspense>
        )}
      </div>
    </div>
  );
}

export function Tabs({ panels }: { panels: SettingPanels }) {
  const place = usePlace();
  return (
    <>
      <TabRow tab={place.tab} />
      <Suspense key={place.tab} fallback={<BodyLoading />}>
        <WithTabTexts tab={place.tab}>
          <TabBody {...place} panels={panels} />
        </WithTabTexts>
      </Suspense>
    </>
  );
}
