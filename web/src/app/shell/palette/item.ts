/** What an entry of the command palette is, and a section of them. */
import type { ReactNode } from "react";

export interface PaletteItem {
  id: string;
  name: string;
  /** Set in mono: a model's name. */
  isCode?: boolean;
  icon: ReactNode;
  detail?: ReactNode;
  side?: ReactNode;
  /** Never chosen by Enter alone: it makes something, which nobody may have meant. */
  wantsChoice?: boolean;
  run: () => void;
}

export interface PaletteSection {
  id: string;
  title: string;
  items: PaletteItem[];
}
