/** The texts of the settings page's tabs: names and helps of options are most of its weight, so each tab loads its own. */
import { type ReactNode, use } from "react";
import { useTranslation } from "react-i18next";
import { OPTION_PAGES, type OptionPage } from "../../../../contract/src/options/sections.ts";
import { i18n, loadTextsIn } from "../../lib/i18n.ts";

const loaders = import.meta.glob<{ default: object }>("../../locales/{en,zh}/options.*.json");

const loading = new Map<string, Promise<void>>();

async function load(code: string, tab: OptionPage): Promise<void> {
  const loader = loaders[`../../locales/${code}/options.${tab}.json`];
  if (loader === undefined) throw new Error(`There are no texts of the tab ${tab} in ${code}`);
  const { default: texts } = await loader();
  // What the page itself says comes first: a namespace that has a part would pass for loaded.
  await loadTextsIn(code, "options");
  i18n.addResourceBundle(code, "options", texts, true, true);
}

/** Loads a tab's texts in a language; the same promise each time, as `use` wants it. One that fails is forgotten, so that the tab's next opening asks again. */
function loadTabTexts(code: string, tab: OptionPage): Promise<void> {
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
export async function loadAllTabTexts(code: string): Promise<void> {
  await Promise.all(OPTION_PAGES.map((tab) => loadTabTexts(code, tab)));
}

/** What is inside once the texts of the tab are there in the language shown; suspends before. */
export function WithTabTexts({ tab, children }: { tab: OptionPage; children: ReactNode }) {
  const { i18n: shown } = useTranslation("options");
  use(loadTabTexts(shown.language, tab));
  return children;
}
