/** Types of the command palette: an item and a section of items. */
import type { ReactNode } from "react";

export interface PaletteItem {
  id: string;
  name: string;
  /** Uses the monospaced font, for model names. */
  isCode?: boolean;
  icon: ReactNode;
  detail?: ReactNode;
  side?: ReactNode;
  /** Never preselected, because it creates something and Enter might not be meant for it. */
  wantsChoice?: boolean;
  run: () => void;
}

export interface PaletteSection {
  id: string;
  title: string;
  items: PaletteItem[];
}
