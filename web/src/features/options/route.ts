/** The route of the settings page: its address and texts. The page itself knows tabs and sections, and is put together in app/setting-page.tsx. */
import { redirect } from "@tanstack/react-router";
import { stringifySearch } from "../../lib/address.ts";
import { loadTexts } from "../../lib/i18n.ts";
import { searchReader, text } from "../../lib/search.ts";

/** `option` is the field to jump to. */
export const settingSearch = searchReader({ tab: text, section: text, option: text });

export const settingRoute = {
  path: "/setting",
  validateSearch: settingSearch,
  // The prices of models have a page of their own; their former addresses lead there with what they ask for.
  beforeLoad: ({ location }: { location: { search: object } }) => {
    const { tab: _tab, section, ...asked } = location.search as Record<string, string>;
    if (section === "prices") throw redirect({ href: `/prices${stringifySearch(asked)}` });
  },
  loader: () => loadTexts("options"),
} as const;
