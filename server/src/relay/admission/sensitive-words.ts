/** Holds a request's words against the operator's list, whatever the client's format. */
import type { Snapshot } from "../../snapshot/snapshot.ts";
import { RelayError } from "../call/relay-error.ts";
import { isEncoded, textsIn } from "../request/request-texts.ts";
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
function wordsInForce({ options }: Snapshot): readonly string[] | undefined {
  const { SensitiveWords: words, CheckSensitiveEnabled, CheckSensitiveOnPromptEnabled } = options;
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

/** Throws RelayError 400 where one of the texts has a word of the list. For bodies that are no JSON, whose reader knows the texts. */
export function refuseWords(snapshot: Snapshot, texts: readonly string[]): void {
  const words = wordsInForce(snapshot);
  if (words === undefined) return;
  if (texts.some((text) => matcherFor(words, shortestWordIn(text))(text.toLowerCase())))
    throw new RelayError("sensitive_words_detected");
}

const OPEN_OBJECT = 123;

const isObject = (body: Buffer): boolean => body.find((byte) => byte > 32) === OPEN_OBJECT;

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    throw new RelayError("invalid_json");
  }
}

/** The same for the texts anywhere in a parsed value, which are collected only where there is a list. */
export function refuseWordsIn(snapshot: Snapshot, value: unknown): void {
  if (wordsInForce(snapshot) !== undefined) refuseWords(snapshot, textsIn(value));
}

/** The same for the texts of a JSON body, which is parsed only where there is a list. */
export function checkWords(snapshot: Snapshot, body: Buffer): void {
  if (wordsInForce(snapshot) === undefined || !isObject(body)) return;
  refuseWords(snapshot, textsIn(parse(body)));
}
