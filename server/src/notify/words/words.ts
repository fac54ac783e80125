/** What messages say, by language. */
import type { Language } from "../../../../contract/src/notifications.ts";
import { ENGLISH } from "./en.ts";
import { CHINESE } from "./zh.ts";
import type { LanguageWords } from "./shape.ts";

export const WORDS: Readonly<Record<Language, LanguageWords>> = { en: ENGLISH, zh: CHINESE };
