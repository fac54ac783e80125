/** Loads the texts of the settings page's tabs: names and helps of options are most of its weight, so each tab loads its own. */
import { type ReactNode, use } from "react";
import { OPTION_PAGES, type OptionPage } from "../../../../contract/src/options/sections.ts";
import { addTexts, type Language, loadTextsIn, useTranslation } from "../../lib/i18n.ts";
import type { Texts } from "../../lib/translate.ts";

const loaders = import.meta.glob<{ default: Texts }>("../../locales/{en,zh}/options.*.json");

const loading = new Map<string, Promise<void>>();

async function load(code: Language, tab: OptionPage): Promise<void> {
  const loader = loaders[`../../locales/${code}/options.${tab}.json`];
  if (loader === undefined) throw new Error(`There are no texts of the tab ${tab} in ${code}`);
  const { default: texts } = await loader();
  // What the page itself says comes first: a namespace that has a part would pass for loaded.
  await loadTextsIn(code, "options");
  addTexts(code, "options", texts);
}

/** Loads a tab's texts in a language; the same promise each time, as `use` wants it. One that fails is forgotten, so that the tab's next opening asks again. */
function loadTabTexts(code: Language, tab: OptionPage): Promise<void> {
  const key = `${code} ${tab}`;
  const known = loading.get(key);
  if (known !== undefined) return known;
  const started = load(code, tab).catch((error: unknown) => {
    loading.delete(key);
    throw error;
  });
  loading.set(key, started);
  return started;
}

/** Loads what the options of all tabs are called in a language, for what names any of them: the search, and refusals. */
export async function loadAllTabTexts(code: Language): Promise<void> {
  await Promise.all(OPTION_PAGES.map((tab) => loadTabTexts(code, tab)));
}

/** Its children once the texts of the tab are loaded in the language shown; suspends before. */
export function WithTabTexts({ tab, children }: { tab: OptionPage; children: ReactNode }) {
  const { language } = useTranslation("options");
  use(loadTabTexts(language, tab));
  return children;
}
