/** The route of the settings page: its address and texts. The page itself knows tabs and sections, and is put together in app/setting-page.tsx. */
import { loadTexts } from "../../lib/i18n.ts";
import { searchReader, text } from "../../lib/search.ts";

/** `option` is the field to jump to. */
export const settingSearch = searchReader({ tab: text, section: text, option: text });

export const settingRoute = {
  path: "/setting",
  validateSearch: settingSearch,
  loader: () => loadTexts("options"),
} as const;
