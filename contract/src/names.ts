/** Rules for every name that users enter: no character may be invisible or reverse the text, so that a name is what it looks like. */
import { z } from "zod";
import { splitList } from "./query.ts";

/**
 * Control and format characters (BEL, zero width, direction marks), lone surrogates, line and paragraph separators, and the letters
 * that are drawn as nothing (the Hangul fillers of Unicode).
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/u;

/** True where a text has a character that is invisible or changes the order of others. */
export const hasUnseen = (text: string): boolean => UNSEEN.test(text);

/** The text without such characters. */
export const withoutUnseen = (text: string): string => [...text].filter((character) => !hasUnseen(character)).join("");

/** The text with each such character replaced by one that is seen. */
export const showUnseen = (text: string): string =>
  hasUnseen(text) ? [...text].map((character) => (hasUnseen(character) ? "\ufffd" : character)).join("") : text;

const REFUSED = { params: { code: "name_characters" } };

/** A name in a request body. A refusal has the code `name_characters` and the field. Surrounding blanks are trimmed later. */
export const nameText = z.string().refine((text) => !hasUnseen(text.trim()), REFUSED);

/** Several names, separated by commas or line breaks. */
export const nameList = z.string().refine((text) => !splitList(text).some(hasUnseen), REFUSED);

/**
 * The form that user names are compared in, so that look-alikes are equal: Root, ROOT and Ｒｏｏｔ are `root`, straße is `strasse` (Unicode's
 * compatibility form and case folding: NFKC, then large and small, since one large letter may stand for two small ones).
 */
export const foldName = (name: string): string =>
  name.trim().normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC");
