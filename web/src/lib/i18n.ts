/** Languages: English and Chinese, one file per feature, loaded with its page. */
import i18next from "i18next";
import { initReactI18next } from "react-i18next";
import { apart } from "./names.ts";
import { readStored, STORAGE, writeStored } from "./storage.ts";

export const LANGUAGES = [
  { code: "zh", name: "中文" },
  { code: "en", name: "English" },
] as const;

export type Language = (typeof LANGUAGES)[number]["code"];

type Texts = Record<string, unknown>;

/** Every namespace but those of every page, and the parts of `options`, which features/options loads itself. */
const loaders = import.meta.glob<{ default: Texts }>([
  "../locales/{en,zh}/*.json",
  "!**/{ui,shell,errors,options.*}.json",
]);
/** The namespaces that every page needs. */
const baseLoaders = import.meta.glob<{ texts: Record<string, Texts> }>("../locales/base/{en,zh}.ts");
const BASE_NAMESPACES: readonly string[] = ["ui", "shell", "errors"];

export const i18n = i18next.createInstance();

const isChinese = (text: string): boolean => text.toLowerCase().startsWith("zh");

/** The stored language, otherwise the browser's. */
const startLanguage = (): Language => (isChinese(readStored(STORAGE.language) ?? navigator.language) ? "zh" : "en");

/** The current language. */
export const language = (): Language => (i18n.language === "zh" ? "zh" : "en");

async function loadBase(code: string): Promise<void> {
  const loader = baseLoaders[`../locales/base/${code}.ts`];
  if (loader === undefined) throw new Error(`There are no base texts in ${code}`);
  const { texts } = await loader();
  for (const [namespace, words] of Object.entries(texts)) i18n.addResourceBundle(code, namespace, words);
}

/** Loads one namespace in one language, unless it is there. */
export async function loadTextsIn(code: string, namespace: string): Promise<void> {
  if (i18n.hasResourceBundle(code, namespace)) return;
  if (BASE_NAMESPACES.includes(namespace)) return loadBase(code);
  const loader = loaders[`../locales/${code}/${namespace}.json`];
  if (loader === undefined) throw new Error(`There is no locale file ${code}/${namespace}.json`);
  i18n.addResourceBundle(code, namespace, (await loader()).default);
}

/**
 * Loads the texts of features in the language shown; a lazy route awaits it before its page is drawn.
 * @example loader: () => loadTexts("tokens")
 */
export async function loadTexts(...namespaces: string[]): Promise<void> {
  await Promise.all(namespaces.map((namespace) => loadTextsIn(i18n.language, namespace)));
}

/** Starts i18next with the texts every page needs. */
export async function startLanguages(): Promise<void> {
  await i18n.use(initReactI18next).init({
    lng: startLanguage(),
    fallbackLng: false,
    // i18next adds what is loaded later to the list that it is given.
    ns: [...BASE_NAMESPACES],
    defaultNS: "ui",
    resources: {},
    // React escapes what is markup; what is named in a sentence must not reverse the rest of it.
    interpolation: { escapeValue: true, escape: apart },
    react: { useSuspense: false, bindI18nStore: "added" },
    returnNull: false,
  });
  document.documentElement.lang = i18n.language;
  await loadBase(i18n.language);
}

/** Switches the language of the open page, stores it and loads what the page already uses. */
export async function setLanguage(code: Language): Promise<void> {
  const used = Object.keys(i18n.store.data[i18n.language] ?? {});
  await Promise.all(used.map((namespace) => loadTextsIn(code, namespace)));
  await i18n.changeLanguage(code);
  writeStored(STORAGE.language, code);
  document.documentElement.lang = code;
}
