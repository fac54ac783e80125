/** Tests of the advice on failed calls: a page that mends the cause, and nothing of channels for those who may not see them. */
import { expect, test } from "vitest";
import en from "../../../locales/en/logs.json" with { type: "json" };
import zh from "../../../locales/zh/logs.json" with { type: "json" };
import { adviceOf, similarTo } from "./advice.ts";
import type { LogRow } from "./log-row.ts";
import { receiptOf } from "./receipt.ts";

const row = (other: object, more: Partial<LogRow> = {}): LogRow =>
  ({
    type: 5,
    use_time_ms: 10,
    request_id: "req 1",
    model_name: "gpt-5",
    username: "lin",
    token_id: 4,
    channel: 7,
    created_at: 100_000,
    other: JSON.stringify(other),
    ...more,
  }) as LogRow;
const advised = (other: object, isAdmin: boolean) => {
  const failed = row(other);
  return adviceOf(failed, receiptOf(failed), isAdmin);
};
const tried = (reason: string) => ({
  admin_info: {
    tried: [
      { id: 3, name: "A", reason: "rate: x" },
      { id: 9, name: "B", reason },
    ],
  },
});

test.each([
  [{ error_code: "no_available_channel" }, "/channel/route?request=req+1"],
  [{ error_code: "model_price_error" }, "/prices?keyword=gpt-5"],
  [{ error_code: "model_not_found" }, "/channel?model=gpt-5"],
  [{ error_code: "insufficient_user_quota" }, "/user?keyword=lin"],
  [{ error_code: "x", status_code: 502, ...tried("auth: no such key") }, "/channel/edit/9"],
  [{ error_code: "x", status_code: 429, ...tried("rate: slow down") }, "/channel/edit/9"],
  [{ error_code: "upstream_timeout", ...tried("timeout: none") }, "/channel/health?keyword=9"],
  [{ error_code: "x", status_code: 429 }, "/channel/edit/7"],
  [{ error_code: "x", status_code: 404, ...tried("refused: no such model") }, "/channel/edit/9"],
])("leads an administrator from %j to %s", (other, href) => {
  expect(advised(other, true)?.link?.href).toBe(href);
});

test("leads a member to the wallet or the token, and to no channel whatever failed", () => {
  expect(advised({ error_code: "insufficient_user_quota" }, false)?.link?.href).toBe("/topup");
  expect(advised({ error_code: "pre_consume_token_quota_failed" }, false)?.link?.href).toBe("/token?open=edit&id=4");
  for (const code of ["no_available_channel", "upstream_timeout", "upstream_unreachable", "x"])
    for (const status_code of [401, 402, 408, 429, 502, 529])
      expect(advised({ error_code: code, status_code, ...tried("auth: x") }, false)?.link?.href ?? "").not.toMatch(
        /channel/,
      );
});

test("says nothing where no advice is known", () => {
  expect(advised({ error_code: "odd", status_code: 400 }, true)).toBeUndefined();
  expect(advised({ error_code: "constructor" }, false)).toBeUndefined();
});

test("similar failures have the same code and model, a day before and after", () => {
  const failed = row({ error_code: "odd" });
  expect(similarTo(failed, receiptOf(failed))).toEqual({
    type: "5",
    error_code: "odd",
    model_name: "gpt-5",
    start_timestamp: "13600",
    end_timestamp: "186400",
  });
  expect(similarTo(row({}), receiptOf(row({})))).toBeUndefined();
});

test("each piece of advice has its words in both languages", () => {
  const codes = [...Object.keys(en.advice.admin), ...Object.keys(en.advice.own)];
  for (const texts of [en, zh]) {
    expect([...Object.keys(texts.advice.admin), ...Object.keys(texts.advice.own)]).toEqual(codes);
    for (const isAdmin of [true, false])
      for (const code of codes) {
        const { text, link } = advised({ error_code: code, ...tried(`${code}: x`) }, isAdmin) ?? {};
        if (text === undefined) continue;
        const [who, name] = text.split(".");
        expect(texts.advice).toHaveProperty([who ?? "", name ?? ""]);
        if (link !== undefined) expect(texts.advice.act).toHaveProperty(link.act);
      }
  }
});
