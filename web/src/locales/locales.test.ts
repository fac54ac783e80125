/** Both languages say everything: the same files, the same keys, the same placeholders. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ERRORS } from "../../../contract/src/error-codes.ts";
import { LIST_PROBLEMS } from "../../../contract/src/pricing/list-lines.ts";
import { OVERRIDE_REASONS } from "../../../contract/src/channels/override-reader.ts";
import { OPTION_REASONS } from "../../../contract/src/options/reasons.ts";
import { LOG_EVENTS } from "../../../contract/src/logs/events.ts";
import { SECURITY_EVENT_KINDS } from "../../../contract/src/security-events.ts";
import { SECURITY_SENTENCES } from "../../../contract/src/security-reasons.ts";
import { SYSTEM_FINDINGS, SYSTEM_REPAIRS } from "../../../contract/src/system-findings.ts";
import { CHARGE_RULES, SKIP_REASONS } from "../../../contract/src/receipt-codes.ts";

const folder = (language: string): URL => new URL(`./${language}/`, import.meta.url);
const files = readdirSync(folder("en")).toSorted();

/** Every text of a file by its dotted key. */
function textsOf(value: unknown, prefix = ""): [string, string][] {
  if (typeof value === "string") return [[prefix, value]];
  return Object.entries(value as object).flatMap(([key, inner]) =>
    textsOf(inner, prefix === "" ? key : `${prefix}.${key}`),
  );
}

const read = (language: string, file: string): Map<string, string> =>
  new Map(textsOf(JSON.parse(readFileSync(new URL(file, folder(language)), "utf8"))));
/** Chinese has one form where English has two: a key of a plural stands for all its forms. */
const ofAllForms = (key: string): string => key.replace(/_one$/, "_other");
const keysOf = (texts: Map<string, string>): string[] => [...new Set([...texts.keys()].map(ofAllForms))].toSorted();
const placeholders = (text: string): string[] =>
  [...text.matchAll(/\{\{(\w+)/g)].map((match) => match[1] ?? "").toSorted();

test("every English file has a Chinese one", () => {
  expect(readdirSync(folder("zh")).toSorted()).toEqual(files);
});

/** The dotted keys of a file as its lines have them: reading JSON keeps the last of two alike. */
function writtenKeys(text: string): string[] {
  const path: string[] = [];
  return text.split("\n").flatMap((line) => {
    const { indent = "", key } = /^(?<indent> *)"(?<key>[^"]+)":/.exec(line)?.groups ?? {};
    if (key === undefined) return [];
    path.length = indent.length / 2 - 1;
    path.push(key);
    return [path.join("/")];
  });
}

test.each(files)("%s has no key twice", (file) => {
  for (const language of ["en", "zh"]) {
    const keys = writtenKeys(readFileSync(new URL(file, folder(language)), "utf8"));
    expect(keys.length).toBeGreaterThan(0);
    expect(keys.filter((key, place) => keys.indexOf(key) !== place)).toEqual([]);
  }
});

test.each(files)("%s has the same keys in both languages, none empty", (file) => {
  const [english, chinese] = [read("en", file), read("zh", file)];
  expect(keysOf(chinese)).toEqual(keysOf(english));
  expect([...english, ...chinese].filter(([, text]) => text.trim() === "")).toEqual([]);
});

test.each(files)("%s fills the same placeholders in both languages", (file) => {
  const chinese = read("zh", file);
  for (const [key, text] of read("en", file)) {
    // A singular may leave its number out: "Channel created".
    const isSingular = key.endsWith("_one") && !chinese.has(key);
    const filled = (sentence: string) => placeholders(sentence).filter((name) => !isSingular || name !== "count");
    expect([key, filled(chinese.get(key) ?? chinese.get(ofAllForms(key)) ?? "")]).toEqual([key, filled(text)]);
  }
});

test("every event of the log has its sentence: in English the API's own, in both languages with the same values", () => {
  for (const language of ["en", "zh"]) {
    const texts = [...read(language, "logs.json")].filter(([key]) => key.startsWith("event."));
    const codes = new Set(texts.map(([key]) => key.replace(/^event\./, "").replace(/_(one|other)$/, "")));
    expect([...codes].toSorted()).toEqual(Object.keys(LOG_EVENTS).toSorted());
    for (const [key, text] of texts) {
      const code = key.replace(/^event\./, "").replace(/_(one|other)$/, "") as keyof typeof LOG_EVENTS;
      expect([key, placeholders(text)]).toEqual([key, Object.keys(LOG_EVENTS[code].values).toSorted()]);
    }
  }
  const english = read("en", "logs.json");
  for (const [code, { english: sentences }] of Object.entries(LOG_EVENTS)) {
    const forms = typeof sentences === "string" ? [["", sentences]] : Object.entries(sentences);
    for (const [form, sentence] of forms) {
      const key = `event.${code}${form === "" ? "" : `_${form}`}`;
      expect([key, english.get(key)?.replaceAll(", number}}", "}}")]).toEqual([key, sentence]);
    }
  }
});

test("every rule and every reason of a receipt has its sentence, with its values", () => {
  const values = Object.entries(SKIP_REASONS).map(([code, each]): [string, string[]] => [
    `skip.${code}`,
    [...each.values],
  ]);
  const wanted = [...values, ...Object.keys(CHARGE_RULES).map((code): [string, string[]] => [`rule.${code}`, []])];
  for (const language of ["en", "zh"]) {
    const texts = [...read(language, "logs.json")].filter(([key]) => /^(skip|rule)\./.test(key));
    const said = texts.map(([key, text]) => [key, placeholders(text)] as const);
    expect(Object.fromEntries(said)).toEqual(Object.fromEntries(wanted));
  }
});

test("every kind and every reason of the security log has its words, with their values", () => {
  const wanted = Object.fromEntries(
    Object.entries(SECURITY_SENTENCES).map(([name, values]): [string, string[]] => [name, [...values].toSorted()]),
  );
  for (const language of ["en", "zh"]) {
    const of = (group: string) =>
      [...read(language, "personal.json")].flatMap(([key, text]): [string, string][] =>
        key.startsWith(`security.log.${group}.`) ? [[key.slice(`security.log.${group}.`.length), text]] : [],
      );
    const said = of("says").map(([name, text]) => [name, placeholders(text)]);
    expect(Object.fromEntries(said)).toEqual(wanted);
    expect(
      of("kind")
        .map(([kind]) => kind)
        .toSorted(),
    ).toEqual([...SECURITY_EVENT_KINDS].toSorted());
  }
});

/** These have one sentence for their HTTP status, in errors.json. */
const BY_STATUS = ["too_many_requests", "demo_site", "internal"];

test("every error code has its sentence", () => {
  const codes = Object.keys(ERRORS).filter((code) => !BY_STATUS.includes(code));
  const keys = [...read("en", "error-codes.json").keys()].filter((key) => !/^(?:reason|place)\./.test(key));
  const named = keys.map((key) => key.replace(/_(?:one|other)$/, ""));
  expect([...new Set(named)].toSorted()).toEqual(codes.toSorted());
});

test("everything that can be wrong with a price list has its sentence", () => {
  const keys = [...read("en", "prices.json").keys()].filter((key) => key.startsWith("list.problem."));
  expect(keys.toSorted()).toEqual(LIST_PROBLEMS.map((problem) => `list.problem.${problem}`).toSorted());
});

test("every reason why an option or an override is refused has its sentence, with its values", () => {
  const texts = [...read("en", "error-codes.json")].filter(([key]) => key.startsWith("reason."));
  const wanted = Object.entries({ ...OPTION_REASONS, ...OVERRIDE_REASONS }).map(
    ([reason, sentence]): [string, string[]] => [
      `reason.${reason}`,
      // What is wrong with broken JSON is said at its place.
      reason === "json" ? ["problem"] : [...sentence.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name),
    ],
  );
  expect(Object.fromEntries(texts.map(([key, text]) => [key, placeholders(text)]))).toEqual(Object.fromEntries(wanted));
});

test("the checks of the system have the words of the command in English, and words for each of them", () => {
  const wanted = [
    ...Object.entries(SYSTEM_FINDINGS).map(([code, sentence]) => [`finding.${code}`, sentence] as const),
    ...Object.entries(SYSTEM_REPAIRS).map(([code, sentence]) => [`repair.${code}`, sentence] as const),
  ].map(([key, sentence]) => [key, sentence.replaceAll(/\{(\w+)\}/g, "{{$1}}")]);
  expect(Object.fromEntries(read("en", "system.checks.json"))).toEqual(Object.fromEntries(wanted));
});

/** Words that glossary.md refuses, with the only places where they mean something else. */
const REFUSED_WORDS: Readonly<Record<string, RegExp | undefined>> = {
  价目表: undefined,
  自定价格: undefined,
  首字时间: undefined,
  供应商: undefined,
  服务商: undefined,
  敏感词: undefined,
  登陆: undefined,
  收据: undefined,
  侧栏: undefined,
  加载失败: undefined,
  账号: /服务账号/,
  // What a model says, and who speaks in a chat.
  你: /^(?:你好.*|你)$/u,
};

test.each(Object.entries(REFUSED_WORDS))(
  "no Chinese text has %s, for which the glossary has another word",
  (word, kept) => {
    const texts = files.flatMap((file) =>
      [...read("zh", file)].map(([key, text]) => ({ place: `${file} ${key}`, text })),
    );
    const wrong = texts.filter(({ text }) => text.includes(word) && kept?.test(text) !== true);
    expect(wrong.map(({ place }) => place)).toEqual([]);
  },
);

test("no Chinese text has a space after its own punctuation, which is wide already", () => {
  const texts = files.flatMap((file) =>
    [...read("zh", file)].map(([key, text]) => ({ place: `${file} ${key}`, text })),
  );
  expect(texts.filter(({ text }) => /[。，；：！？] /u.test(text)).map(({ place }) => place)).toEqual([]);
});

test("no English text of the console signs anybody in or out: people log in and out", () => {
  // The sentences of error codes and of the log's events are the API's own.
  const texts = files
    .filter((file) => file !== "error-codes.json")
    .flatMap((file) => [...read("en", file)].map(([key, text]) => ({ place: `${file} ${key}`, text })));
  const wrong = texts.filter(
    ({ place, text }) => !place.startsWith("logs.json event.") && /\bsign(?:ed|s|ing)?[ -](?:in|ins|out)\b/i.test(text),
  );
  expect(wrong.map(({ place }) => place)).toEqual([]);
});
