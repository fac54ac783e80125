/** What every name people give has in common: nothing in it is invisible or turns the text around, so that what is read is what is meant. */
import { z } from "zod";
import { splitList } from "./query.ts";

/**
 * Control and format characters (BEL, zero width, marks of direction), lone surrogates, separators of lines and paragraphs, and the
 * letters that are drawn as nothing (Unicode's fillers of Hangul).
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/u;

/** True where a text has a character that nobody sees, or that changes the order of others. */
export const hasUnseen = (text: string): boolean => UNSEEN.test(text);

const REFUSED = { params: { code: "name_characters" } };

/** A name in a body; the console answers with the code `name_characters` and the field where it is refused. Blanks around it are cut later. */
export const nameText = z.string().refine((text) => !hasUnseen(text.trim()), REFUSED);

/** Several names with commas or line ends between them. */
export const nameList = z.string().refine((text) => !splitList(text).some(hasUnseen), REFUSED);

/**
 * What two user names have in common that people take for one: Root, ROOT and Ｒｏｏｔ are `root`, straße is `strasse` (Unicode's
 * compatibility form and case folding: NFKC, then large and small, since one large letter may stand for two small ones).
 */
export const foldName = (name: string): string =>
  name.trim().normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC");
