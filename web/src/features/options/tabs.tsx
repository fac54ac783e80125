/** The tabs of the settings page and what the open one shows: its sections below one another, or one panel alone. */
import { type ComponentType, Suspense, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { flushSync } from "react-dom";
import {
  OPTION_PAGES,
  OPTION_SECTIONS,
  type OptionPage,
  type OptionSection,
} from "../../../../contract/src/options/sections.ts";
import { useSearchState } from "../../lib/search.ts";
import { useSettings } from "./draft/settings.ts";
import { showOption } from "./jump.ts";
import { PanelLoading } from "./loading.tsx";
import { OptionSectionRows, SectionHead } from "./rows/option-section.tsx";
import { settingSearch } from "./route.ts";
import { scrollToSection, SectionList, useReadSection } from "./section-list.tsx";
import { SECTION_PARTS } from "./sections/parts.ts";
import { SearchInput } from "./search-input.tsx";
import styles from "./page.module.css";

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
  useEffect(() => {
    if (option !== undefined) showOption(option);
    else if (asked !== undefined) scrollToSection(asked);
  }, [option, asked]);
  return null;
}

export function Tabs({ panels }: { panels: SettingPanels }) {
  const { tab, asked, option } = usePlace();
  const [, change] = useSearchState(settingSearch);
  const optionsOf = useOptionsOf();
  const all: readonly OptionSection[] = OPTION_SECTIONS[tab];
  const listed = all.filter((section) => panels[section] === undefined);
  const shown = listed.filter((section) => optionsOf(section).length > 0 || SECTION_PARTS[section] !== undefined);
  const Panel = asked === undefined ? undefined : panels[asked];
  const read = useReadSection(Panel === undefined ? shown : []);
  const open = (section: OptionSection) => {
    change({ tab, section, option: undefined });
    scrollToSection(section);
  };
  return (
    <>
      <TabRow tab={tab} />
      <div className={styles.body}>
        <SectionList
          sections={all.filter((section) => shown.includes(section) || panels[section] !== undefined)}
          current={Panel === undefined ? read : asked}
          onOpen={open}
        />
        <div className={styles.content} data-is-panel={Panel !== undefined || undefined}>
          {Panel === undefined ? (
            // All at once: a part that comes later would move what is being read.
            <Suspense key={tab} fallback={<PanelLoading />}>
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
    </>
  );
}
