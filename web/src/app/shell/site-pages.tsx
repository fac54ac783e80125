/** The site's pages besides the console: one table for the top bar, the phone's menu and the command palette. */
import { type HeaderEntry, isHeaderEntryShown, readHeaderChoice } from "../../../../contract/src/bar-entries.ts";
import { useStatus } from "../../lib/status.ts";
import { IconHome, IconInfoCircle, IconTag, type TablerIcon } from "@tabler/icons-react";

export interface SitePage {
  /** Key of its text under `nav` in the shell's locale file. */
  id: "home" | "pricing" | "about";
  to: "/" | "/pricing" | "/about";
  icon: TablerIcon;
  /** Key that goes there after "g". */
  letter: string;
}

const SITE_PAGES: readonly SitePage[] = [
  { id: "home", to: "/", icon: IconHome, letter: "h" },
  { id: "pricing", to: "/pricing", icon: IconTag, letter: "p" },
  { id: "about", to: "/about", icon: IconInfoCircle, letter: "a" },
];

/** Whether the site shows an entry of the top bar. */
export function useIsInTopBar(): (entry: HeaderEntry) => boolean {
  const choice = readHeaderChoice(useStatus().HeaderNavModules);
  return (entry) => isHeaderEntryShown(choice, entry);
}

/** The pages that the site shows. */
export function useSitePages(): readonly SitePage[] {
  const isShown = useIsInTopBar();
  return SITE_PAGES.filter(({ id }) => isShown(id));
}
