/** Tests of a server's refusal in the reader's language, with its reason and its place in JSON text. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { validateOption, parseOptions } from "../../../contract/src/options/options.ts";
import { AppError } from "../../../contract/src/errors.ts";
import { NETWORK_MEANINGS, networkMeaning } from "../../../contract/src/channels/network-failures.ts";
import { refusalText } from "./api.ts";
import { addTexts, hasText, type Language, showLanguage } from "./i18n.ts";
import type { Texts } from "./translate.ts";

const texts = (language: string, file: string): Texts =>
  JSON.parse(readFileSync(new URL(`../locales/${language}/${file}.json`, import.meta.url), "utf8")) as Texts;

function refusal(name: string, value: string): AppError {
  try {
    validateOption(name, value, parseOptions(new Map()));
  } catch (error) {
    if (error instanceof AppError) return error;
  }
  throw new Error(`${name} was not refused`);
}

// Other files of the same worker read their texts in English.
afterAll(() => showLanguage("en"));

describe.each<[Language, string, string, string]>([
  [
    "en",
    "gpt-4o: The smallest value is 0 (line 2, column 13)",
    "Line 1, column 8: Not valid JSON: a “,” is missing before the next entry.",
    "The largest value is 65535",
  ],
  [
    "zh",
    "gpt-4o：不能小于 0（第 2 行第 13 列）",
    "第 1 行第 8 列：不是合法的 JSON：下一项之前缺少“,”。",
    "不能大于 65535",
  ],
])("in %s", (language, atPath, atPlace, plain) => {
  beforeAll(() => {
    for (const file of ["error-codes", "ui", "channels"]) addTexts(language, file, texts(language, file));
    showLanguage(language);
  });

  test("with path and place, with the place alone, and without one", () => {
    const text = ({ code, values }: AppError) => refusalText(code, values);
    expect(text(refusal("ModelRatio", '{\n  "gpt-4o": -1}'))).toBe(atPath);
    expect(text(refusal("ModelRatio", '{"a": 1 "b": 2}'))).toBe(atPlace);
    expect(text(refusal("SMTPPort", "65536"))).toBe(plain);
  });

  test("an error of the network in words with its code beside, each of those that are known, and an unknown one by its code alone", () => {
    for (const meaning of NETWORK_MEANINGS) expect(hasText(`channels:failures.network.${meaning}`)).toBe(true);
    const refused = refusalText("upstream_failed", { failure: "network.refused", code: "ECONNREFUSED" });
    expect(refused).toBe(
      language === "en"
        ? "Nothing accepts connections at the upstream’s address (ECONNREFUSED)"
        : "上游地址拒绝连接（ECONNREFUSED）",
    );
    expect(
      refusalText("upstream_failed", { failure: `network.${networkMeaning("DEPTH_ZERO_SELF_SIGNED_CERT")}` }),
    ).toContain(language === "en" ? "certificate is self-signed" : "证书为自签名");
    expect(refusalText("upstream_failed", { failure: "connectReason", reason: "EODD" })).toContain("EODD");
    expect(refusalText("upstream_failed", { failure: "upstream_status", status: 401, message: "bad key" })).toMatch(
      /401.*bad key/,
    );
  });

  test("and nothing where the code has no sentence", () => {
    expect(refusalText("no_such_code")).toBeUndefined();
  });
});
