/** Checks a request's texts for the operator's sensitive words: one walk finds the texts in any client's format, and one pass over each finds any word of the list (Aho and Corasick, 1975). */
import type { Snapshot } from "../../snapshot/snapshot.ts";
import { RelayError } from "../call/relay-error.ts";

/** Under these stands language: a string, a list of strings, or parts that have such names again. */
const TEXT_NAMES: ReadonlySet<string> = new Set([
  "content", // messages of OpenAI and Anthropic, tool results
  "text", // content parts of every format
  "prompt", // completions, images, songs
  "negative_prompt",
  "negativePrompt", // Imagen
  "gpt_description_prompt",
  "input", // responses, embeddings, speech, moderations
  "instruction",
  "instructions",
  "system", // Anthropic
  "system_instruction", // Gemini
  "systemInstruction",
  "query", // rerank
  "documents",
  "suffix",
  "refusal",
  "transcript", // what was spoken, in realtime
  "thinking",
  "reasoning_content",
  "summary",
  "description", // of tools and their parameters
  "title",
  "lyrics",
  "tags",
]);

/** Under these stand the arguments and results of tools: an object whose names are the tool's own, or JSON as text. */
const TOOL_NAMES: ReadonlySet<string> = new Set([
  "arguments",
  "args",
  "input",
  "output",
  "response",
  "result",
  "partial_json",
]);

/** Never language, also inside the data of tools: what names, addresses or encodes something. */
const STRUCTURE_NAMES: ReadonlySet<string> = new Set([
  "type",
  "role",
  "id",
  "call_id",
  "tool_call_id",
  "tool_use_id",
  "model",
  "data",
  "url",
  "image_url",
  "file_url",
  "file_uri",
  "fileUri",
  "file_id",
  "file_data",
  "b64_json",
  "media_type",
  "mime_type",
  "mimeType",
  "signature",
  "thoughtSignature",
  "encrypted_content",
]);

/** `text`: strings are language. `tool`: strings under any name are. `none`: only what a known name leads to. */
type Mode = "none" | "text" | "tool";

function modeFor(name: string, value: unknown, mode: Mode): Mode | undefined {
  if (STRUCTURE_NAMES.has(name)) return undefined;
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  if (mode === "tool" || (TOOL_NAMES.has(name) && (isObject || !TEXT_NAMES.has(name)))) return "tool";
  return TEXT_NAMES.has(name) ? "text" : "none";
}

/** Shorter strings of the same letters may be words. */
const ENCODED_CHARACTERS = 4096;
const ENCODED = /^[\w+/=\r\n-]*$/;
const DATA_URI_HEAD = /^data:[^,\s]{0,200},/;

/** True for what looks like media in text form, to its last character. Words may have been made to look so. */
function isEncoded(text: string): boolean {
  if (text.length < ENCODED_CHARACTERS) return false;
  const head = text.startsWith("data:") ? DATA_URI_HEAD.exec(text)?.[0] : undefined;
  return ENCODED.test(head === undefined ? text : text.slice(head.length));
}

function walk(value: unknown, mode: Mode, texts: string[]): void {
  if (typeof value === "string") {
    if (mode !== "none") texts.push(value);
  } else if (Array.isArray(value)) for (const each of value) walk(each, mode, texts);
  else if (typeof value === "object" && value !== null) {
    for (const [name, each] of Object.entries(value)) {
      const inner = modeFor(name, each, mode);
      if (inner !== undefined) walk(each, inner, texts);
    }
  }
}

/**
 * Every text of a parsed request: messages, parts, system prompts, instructions, inputs, documents, tools' arguments and results.
 * Names, addresses and media in fields of their own are skipped. The caller has bounded the depth.
 */
export function textsIn(request: unknown): string[] {
  const texts: string[] = [];
  walk(request, "none", texts);
  return texts;
}

/** True where a lower-cased text contains one of the words. */
export type WordMatcher = (text: string) => boolean;

interface Node {
  next: Map<number, Node>;
  fallback: Node | undefined;
  isEnd: boolean;
}

const newNode = (): Node => ({ next: new Map(), fallback: undefined, isEnd: false });

function insert(root: Node, word: string): void {
  let node = root;
  for (let index = 0; index < word.length; index += 1) {
    const code = word.charCodeAt(index);
    let next = node.next.get(code);
    if (next === undefined) node.next.set(code, (next = newNode()));
    node = next;
  }
  node.isEnd = true;
}

function step(root: Node, from: Node, code: number): Node {
  let node: Node | undefined = from;
  while (node !== undefined) {
    const next = node.next.get(code);
    if (next !== undefined) return next;
    node = node.fallback;
  }
  return root;
}

/** Links each node to the longest other beginning that its text ends with, level by level. */
function link(root: Node): void {
  let level = [...root.next.values()];
  for (const node of level) node.fallback = root;
  while (level.length > 0) {
    const below: Node[] = [];
    for (const node of level) {
      for (const [code, child] of node.next) {
        child.fallback = step(root, node.fallback ?? root, code);
        child.isEnd ||= child.fallback.isEnd;
        below.push(child);
      }
    }
    level = below;
  }
}

const CODE_UNITS = 65_536;

/** Marks the first code units of all words: most characters of a text begin none, and are passed at the price of one look. */
function firstsOf(root: Node): Uint8Array {
  const firsts = new Uint8Array(CODE_UNITS);
  for (const code of root.next.keys()) firsts[code] = 1;
  return firsts;
}

/** Compiles a list; words are compared without regard to case. */
export function compileWords(words: readonly string[]): WordMatcher {
  const root = newNode();
  for (const word of words) if (word !== "") insert(root, word.toLowerCase());
  link(root);
  const firsts = firstsOf(root);
  return (text) => {
    let node = root;
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      if (node === root && firsts[code] === 0) continue;
      node = step(root, node, code);
      if (node.isEnd) return true;
    }
    return false;
  };
}

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

/** Letters a word has to have to be looked for: in media in text form short ones turn up by chance, long ones do not. */
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
