/** The keyboard shortcuts of the layout: pages by their letter, and the sheet of all shortcuts. */
import { useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { isStoredTrue, STORAGE, writeStored } from "../../lib/storage.ts";
import { createStore, useStore } from "../../lib/store.ts";
import { useViewer } from "../../lib/viewer.ts";
import { isMac } from "../../ui/keys.ts";
import { listenToShortcuts, type Shortcut, useShortcuts } from "../../ui/shortcuts/shortcuts.ts";
import { useHiding, visibleGroups } from "./entries.tsx";
import { useSitePages } from "./site-pages.tsx";

const ShortcutSheet = lazy(async () => ({
  default: (await import("../../ui/shortcuts/shortcut-sheet.tsx")).ShortcutSheet,
}));

/** `count`: how often the sheet was opened. */
const sheet = createStore(() => ({ isOpen: false, count: 0 }));

const setSheetOpen = (isOpen: boolean): void =>
  sheet.update(({ count }) => ({ isOpen, count: count + Number(isOpen) }));

/** Shows the sheet of shortcuts, for people without a `?` key or with shortcuts turned off. */
export const openShortcutSheet = (): void => setSheetOpen(true);

/** "g" and a letter for each page that this viewer may see. */
function usePageKeys(): Shortcut[] {
  const { t } = useTranslation("shell");
  const navigate = useNavigate();
  const viewer = useViewer();
  const entries = visibleGroups(viewer, useHiding()).flatMap((group) =>
    group.entries.map(({ id, to, letter }) => ({ to, letter, label: t(`entries.${id}`) })),
  );
  const site = useSitePages().map(({ id, to, letter }) => ({ to, letter, label: t(`nav.${id}`) }));
  return [...entries, ...site].map(({ to, letter, label }) => ({
    keys: `g ${letter}`,
    label,
    section: "goTo",
    run: () => void navigate({ to }),
  }));
}

/** Listens for shortcuts while mounted; once in every layout, for logged-in users. */
export function Shortcuts() {
  const { t } = useTranslation("shell");
  const [isOn, setIsOn] = useState(() => !isStoredTrue(STORAGE.areShortcutsOff));
  const { isOpen, count } = useStore(sheet);
  useEffect(() => listenToShortcuts(() => isOn), [isOn]);
  const toggle = (isWanted: boolean) => {
    setIsOn(isWanted);
    writeStored(STORAGE.areShortcutsOff, isWanted ? null : "true");
  };
  useShortcuts([
    { keys: isMac() ? "⌘ K" : "Ctrl K", label: t("shortcuts.palette"), section: "everywhere" },
    { keys: "?", label: t("shortcuts.sheet"), section: "everywhere", run: openShortcutSheet },
    ...usePageKeys(),
  ]);
  if (count === 0) return null;
  return (
    <Suspense fallback={null}>
      {/* A new one each time: it lists what is on the screen now. */}
      <ShortcutSheet key={count} isOpen={isOpen} onClose={() => setSheetOpen(false)} isOn={isOn} onToggle={toggle} />
    </Suspense>
  );
}
