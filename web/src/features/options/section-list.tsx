/** The list of a tab's sections: which one is being read, and which have changes. On a phone it is a row that scrolls. */
import { useEffect, useRef, useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";
import type { OptionSection } from "../../../../contract/src/options/sections.ts";
import { useSettings } from "./draft/settings.ts";
import styles from "./page.module.css";

/** Sections with unsaved changes. */
function useChanged(): ReadonlySet<string> {
  const { store, descriptions } = useSettings();
  const { entries } = useSyncExternalStore(store.subscribe, store.get);
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
