/** The site's pages besides the console: one table for the top bar, the phone's menu and the command palette. */
import { IconHome, IconInfoCircle, IconTag, type TablerIcon } from "@tabler/icons-react";

export interface SitePage {
  /** Key of its text under `nav` in the shell's locale file. */
  id: "home" | "pricing" | "about";
  to: "/" | "/pricing" | "/about";
  icon: TablerIcon;
  /** Key that goes there after "g". */
  letter: string;
}

export const SITE_PAGES: readonly SitePage[] = [
  { id: "home", to: "/", icon: IconHome, letter: "h" },
  { id: "pricing", to: "/pricing", icon: IconTag, letter: "p" },
  { id: "about", to: "/about", icon: IconInfoCircle, letter: "a" },
];
