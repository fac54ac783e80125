/** Holds a request's words against the operator's list, whatever the client's format. */
import type { Exchange } from "./exchange.ts";
import { Refusal } from "./refusal.ts";
import { isEncoded, textsIn } from "./request-texts.ts";
import { type WordMatcher, compileWords } from "./word-matcher.ts";

const compiled = new WeakMap<readonly string[], Map<number, WordMatcher>>();

/** The matcher of the words of an option's value that have so many letters, compiled once for each value. */
function matcherFor(words: readonly string[], shortest: number): WordMatcher {
  let byLength = compiled.get(words);
  if (byLength === undefined) compiled.set(words, (byLength = new Map()));
  let matcher = byLength.get(shortest);
  if (matcher === undefined)
    byLength.set(shortest, (matcher = compileWords(words.filter(({ length }) => length >= shortest))));
  return matcher;
}

/** The words in force; undefined where nothing is to be looked for. */
function wordsInForce({ context }: Exchange): readonly string[] | undefined {
  const { SensitiveWords: words, CheckSensitiveEnabled, CheckSensitiveOnPromptEnabled } = context.snapshot.options;
  const isOn = words.length > 0 && CheckSensitiveEnabled && CheckSensitiveOnPromptEnabled;
  return isOn ? words : undefined;
}

/** Of 64 characters two stand for a letter, so a word of n letters begins at one place of 32^n. */
const PLACES_FOR_A_LETTER = 32;
/** In so many texts of encoded media one has a word of the list by chance. */
const TEXTS_FOR_A_CHANCE = 1_000;

/** Letters a word has to have to be looked for: in media in text form short ones turn up by chance, long ones are somebody's. */
const shortestWordIn = (text: string): number =>
  isEncoded(text) ? Math.ceil(Math.log(text.length * TEXTS_FOR_A_CHANCE) / Math.log(PLACES_FOR_A_LETTER)) : 0;

/** Throws Refusal 400 where one of the texts has a word of the list. For bodies that are no JSON, whose reader knows the texts. */
export function refuseWords(exchange: Exchange, texts: readonly string[]): void {
  const words = wordsInForce(exchange);
  if (words === undefined) return;
  if (texts.some((text) => matcherFor(words, shortestWordIn(text))(text.toLowerCase())))
    throw new Refusal("sensitive_words_detected");
}

const OPEN_OBJECT = 123;

const isObject = (body: Buffer): boolean => body.find((byte) => byte > 32) === OPEN_OBJECT;

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    throw new Refusal("invalid_json");
  }
}

/** The same for the texts anywhere in a parsed value, which are gathered only where there is a list. */
export function refuseWordsIn(exchange: Exchange, value: unknown): void {
  if (wordsInForce(exchange) !== undefined) refuseWords(exchange, textsIn(value));
}

/** The same for the texts of a JSON body, which is parsed only where there is a list. */
export function checkWords(exchange: Exchange): void {
  if (wordsInForce(exchange) === undefined || !isObject(exchange.body)) return;
  refuseWords(exchange, textsIn(parse(exchange.body)));
}
