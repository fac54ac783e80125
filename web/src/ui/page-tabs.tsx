/** The tabs of a page about one thing: which one is open stands in the address, so each is a place of its own. */
import { useOpenInView } from "./open-in-view.ts";
import styles from "./page-tabs.module.css";

interface PageTabsProps<Name extends string> {
  /** Names the row for screen readers. */
  label: string;
  tabs: readonly { name: Name; text: string }[];
  open: Name;
  onOpen: (name: Name) => void;
}

/** @example <PageTabs label={t("tabs.label")} tabs={tabs} open={tab} onOpen={(tab) => change({ tab })} /> */
export function PageTabs<Name extends string>({ label, tabs, open, onOpen }: PageTabsProps<Name>) {
  const row = useOpenInView<HTMLElement>(open);
  return (
    <nav ref={row} className={styles.tabs} aria-label={label}>
      {tabs.map(({ name, text }) => (
        <button
          key={name}
          type="button"
          className={styles.tab}
          aria-current={name === open ? "page" : undefined}
          onClick={() => onOpen(name)}
        >
          {text}
        </button>
      ))}
    </nav>
  );
}
