/** Languages: English and Chinese, one file per feature, loaded with its page. What keys and values mean is in translate.ts. */
import { createStore, useStore } from "./store.ts";
import { readStored, STORAGE, writeStored } from "./storage.ts";
import { fillIn, joinTexts, keysOf, textAt, type Texts, type TFunction, type Values } from "./translate.ts";

export type { TFunction } from "./translate.ts";

export const LANGUAGES = [
  { code: "zh", name: "中文" },
  { code: "en", name: "English" },
] as const;

export type Language = (typeof LANGUAGES)[number]["code"];

/** Every namespace but those of every page, and the parts of `options`, which features/options loads itself. */
const loaders = import.meta.glob<{ default: Texts }>([
  "../locales/{en,zh}/*.json",
  "!**/{ui,shell,errors,options.*}.json",
]);
/** The namespaces that every page needs. */
const baseLoaders = import.meta.glob<{ texts: Record<string, Texts> }>("../locales/base/{en,zh}.ts");
const BASE_NAMESPACES: readonly string[] = ["ui", "shell", "errors"];
const DEFAULT_NAMESPACE = "ui";

const isChinese = (text: string): boolean => text.toLowerCase().startsWith("zh");

/** The stored language, otherwise the browser's. */
const startLanguage = (): Language => (isChinese(readStored(STORAGE.language) ?? navigator.language) ? "zh" : "en");

interface Loaded {
  language: Language;
  /** By language and namespace. */
  texts: Readonly<Record<Language, Readonly<Record<string, Texts>>>>;
}

const loaded = createStore<Loaded>(() => ({ language: startLanguage(), texts: { en: {}, zh: {} } }));

/** The current language. */
export const language = (): Language => loaded.get().language;

/** Adds texts to a namespace, also to groups of texts that it has already. */
export function addTexts(code: Language, namespace: string, texts: Texts): void {
  loaded.update(({ texts: all, ...others }) => {
    const joined = joinTexts(all[code][namespace], texts);
    return { ...others, texts: { ...all, [code]: { ...all[code], [namespace]: joined } } };
  });
}

/** The text at a key of one namespace in one language; undefined where there is none or it has not been loaded. */
export const textIn = (code: Language, namespace: string, key: string): string | undefined =>
  textAt(loaded.get().texts[code][namespace], key);

const withoutNamespace = (key: string): string => key.slice(key.indexOf(":") + 1);

function find(code: Language, namespaces: readonly string[], key: string, count?: unknown): string | undefined {
  const colon = key.indexOf(":");
  const places = colon < 0 ? namespaces : [key.slice(0, colon)];
  const keys = keysOf(code, withoutNamespace(key), count);
  for (const namespace of places)
    for (const each of keys) {
      const text = textIn(code, namespace, each);
      if (text !== undefined) return text;
    }
  return undefined;
}

/** A text may take in another one by its key, of which a value may be part: `$t(namespace:group.{{name}})`. */
const TAKEN = /\$t\(([^)]+)\)/g;

const withTaken = (text: string, values: Values, code: Language): string =>
  text.replaceAll(TAKEN, (_, written: string) => {
    const key = fillIn(written, values, code);
    return find(code, [DEFAULT_NAMESPACE], key) ?? withoutNamespace(key);
  });

/** Whether there is a text for a key, `namespace:key` or of `ui`, in the language shown. */
export const hasText = (key: string, { count }: Values = {}): boolean =>
  find(language(), [DEFAULT_NAMESPACE], key, count) !== undefined;

/**
 * Texts outside of components, in the language that is shown when one is asked for.
 * @param namespaces where a key without a namespace is looked for, in this order
 * @param code the language, where it is not the one shown
 */
export function translator(namespaces: string | readonly string[] = DEFAULT_NAMESPACE, code?: Language): TFunction {
  const places = typeof namespaces === "string" ? [namespaces] : namespaces;
  return (key, values = {}) => {
    const shown = code ?? language();
    const text = find(shown, places, key, values["count"]);
    if (text !== undefined) return fillIn(withTaken(text, values, shown), values, shown);
    const { defaultValue } = values;
    return typeof defaultValue === "string" ? defaultValue : withoutNamespace(key);
  };
}

/** A text outside of components: of every page, or of another namespace by `namespace:key`. */
export const translate: TFunction = translator();

/** Translators by their namespaces, the same ones for as long as texts and language are: what a component made with one need not be made anew. */
const translators = new WeakMap<Loaded, Map<string, TFunction>>();

function translatorFor(state: Loaded, namespaces: string | readonly string[]): TFunction {
  const known = translators.get(state) ?? new Map<string, TFunction>();
  translators.set(state, known);
  const key = String(namespaces);
  const found = known.get(key) ?? translator(namespaces);
  known.set(key, found);
  return found;
}

/**
 * The texts of namespaces in a component, which is rendered again when the language changes or texts are added.
 * @param namespaces where a key without a namespace is looked for, in this order
 * @example const { t } = useTranslation("tokens"); t("count", { count: 3 })
 */
export function useTranslation(namespaces: string | readonly string[] = DEFAULT_NAMESPACE): {
  t: TFunction;
  language: Language;
} {
  const now = useStore(loaded);
  return { t: translatorFor(now, namespaces), language: now.language };
}

async function loadBase(code: Language): Promise<void> {
  const loader = baseLoaders[`../locales/base/${code}.ts`];
  if (loader === undefined) throw new Error(`There are no base texts in ${code}`);
  const { texts } = await loader();
  for (const [namespace, words] of Object.entries(texts)) addTexts(code, namespace, words);
}

/** Loads one namespace in one language, unless it is there. */
export async function loadTextsIn(code: Language, namespace: string): Promise<void> {
  if (loaded.get().texts[code][namespace] !== undefined) return;
  if (BASE_NAMESPACES.includes(namespace)) return loadBase(code);
  const loader = loaders[`../locales/${code}/${namespace}.json`];
  if (loader === undefined) throw new Error(`There is no locale file ${code}/${namespace}.json`);
  addTexts(code, namespace, (await loader()).default);
}

/**
 * Loads the texts of features in the language shown; a lazy route awaits it before its page is drawn.
 * @example loader: () => loadTexts("tokens")
 */
export async function loadTexts(...namespaces: string[]): Promise<void> {
  await Promise.all(namespaces.map((namespace) => loadTextsIn(language(), namespace)));
}

/** Shows a language whose texts are loaded. */
export function showLanguage(code: Language): void {
  loaded.update((now) => ({ ...now, language: code }));
}

/** Loads the texts that every page needs. */
export async function startLanguages(): Promise<void> {
  document.documentElement.lang = language();
  await loadBase(language());
}

/** Switches the language of the open page, stores it and loads what the page already uses. */
export async function setLanguage(code: Language): Promise<void> {
  const used = Object.keys(loaded.get().texts[language()]);
  await Promise.all(used.map((namespace) => loadTextsIn(code, namespace)));
  showLanguage(code);
  writeStored(STORAGE.language, code);
  document.documentElement.lang = code;
}
