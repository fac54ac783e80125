/** The catalogue of options: reading stored values, and checking a change. */
import { describe, expect, test } from "vitest";
import { AppError } from "../errors.ts";
import {
  isOptionName,
  OPTION_NAMES,
  optionDefinition,
  parseOptions,
  SECRET_OPTION_NAMES,
  validateOption,
} from "./options.ts";

const DEFAULTS = parseOptions(new Map());

const set = (values: Record<string, string>) => parseOptions(new Map(Object.entries(values)));

function refusal(name: string, value: string, current = DEFAULTS): AppError {
  try {
    validateOption(name, value, current);
  } catch (error) {
    if (error instanceof AppError) return error;
  }
  throw new Error(`${name}=${value} was not refused`);
}

describe("every option", () => {
  test.each(OPTION_NAMES)("%s: its default is valid, and stays the same when it is saved unchanged", (name) => {
    const { defaultText, read } = optionDefinition(name);
    expect(read(read(defaultText).normalised)).toEqual(read(defaultText));
    expect(read(defaultText).normalised).toBe(defaultText);
  });

  test("whose name ends in Enabled or enabled is a boolean", () => {
    const wrong = OPTION_NAMES.filter((name) => /enabled$/i.test(name) && optionDefinition(name).kind !== "boolean");
    expect(wrong).toEqual([]);
  });

  test("that is secret needs a confirmed password to change, and these are the secrets", () => {
    expect([...SECRET_OPTION_NAMES].toSorted()).toEqual([
      "AlipayPrivateKey",
      "DingTalkClientSecret",
      "EpayKey",
      "GitHubClientSecret",
      "LarkClientSecret",
      "LinuxDOClientSecret",
      "SMTPToken",
      "StripeSecretKey",
      "StripeWebhookSecret",
      "TelegramBotToken",
      "TurnstileSecretKey",
      "WeChatServerToken",
      "WebSearchKey",
      "WechatPayApiV3Key",
      "WechatPayPrivateKey",
      "WorkerValidKey",
      "discord.client_secret",
      "oidc.client_secret",
    ]);
    expect([...SECRET_OPTION_NAMES].every((name) => optionDefinition(name).owner === "root")).toBe(true);
  });
});

describe("an address", () => {
  const addresses = OPTION_NAMES.filter((name) => optionDefinition(name).kind === "url");

  test.each(addresses)("%s takes no user and password, which would be read by all who see the settings", (name) => {
    for (const login of ["user:secret", "user", ":secret"]) {
      const refused = refusal(name, `https://${login}@place.example`);
      expect(refused).toMatchObject({ code: "option_invalid", values: { reason: "address_login" } });
      expect(JSON.stringify([refused.message, refused.values])).not.toContain("secret@");
    }
    expect(validateOption(name, "https://place.example", DEFAULTS).normalised).toBe("https://place.example");
  });

  test("that an earlier version stored with them stays in force", () => {
    expect(set({ WorkerUrl: "https://user:secret@worker.example" }).WorkerUrl).toContain("worker.example");
  });
});

describe("defaults", () => {
  test("payment, quota unit and dashboard", () => {
    expect(DEFAULTS).toMatchObject({ Price: "7.3", MinTopUp: 1, QuotaPerUnit: 500_000, DataExportDefaultTime: "hour" });
  });
  test("every default chat link is one name with a template that takes the key", () => {
    for (const chat of DEFAULTS.Chats) {
      const [template = "", ...more] = Object.values(chat);
      expect(more).toEqual([]);
      expect(template).toContain("{key}");
      expect(template).toContain("{address}");
    }
  });
});

describe("reading stored rows", () => {
  test("decimals of price maps keep every digit they were written with", () => {
    const { ModelRatio } = set({ ModelRatio: '{"a": 0.10, "b": 1e-7, "c": 0.30000000000000000004}' });
    expect({ ...ModelRatio }).toEqual({ a: "0.1", b: "0.0000001", c: "0.30000000000000000004" });
  });

  test("a model named like a part of every object has no price", () => {
    expect(DEFAULTS.ModelRatio["constructor"]).toBeUndefined();
    expect(set({ ModelRatio: '{"a":1}' }).ModelRatio["toString"]).toBeUndefined();
  });

  test("a stored text that is not valid any more gives the default and is reported", () => {
    const invalid: string[] = [];
    const values = parseOptions(new Map([["RetryTimes", "many"]]), (name) => invalid.push(name));
    expect(values.RetryTimes).toBe(0);
    expect(invalid).toEqual(["RetryTimes"]);
  });
});

describe("a change is refused before anything is written", () => {
  test.each([
    ["NoSuchOption", "1", "option_unknown"],
    ["constructor", "1", "option_unknown"],
    ["RetryTimes", "abc", "option_invalid"],
    ["RetryTimes", "1.5", "option_invalid"],
    ["RetryTimes", "-1", "option_invalid"],
    ["QuotaPerUnit", "0", "option_invalid"],
    ["QuotaPerUnit", "9007199254740993", "option_invalid"],
    ["RegisterEnabled", "yes", "option_invalid"],
    ["RegisterEnabled", "", "option_invalid"],
    ["Price", "7.333", "option_invalid"],
    ["DataExportInterval", "0", "option_invalid"],
    ["DataExportDefaultTime", "month", "option_invalid"],
    ["ModelRatio", "{", "option_invalid"],
    ["ModelRatio", "[]", "option_invalid"],
    ["ModelRatio", '{"a":"1"}x', "option_invalid"],
    ["ModelRatio", '{"a":null}', "option_invalid"],
    ["ModelRatio", '{"a":"1"}', "option_invalid"],
    ["GroupRatio", '{"default":-1}', "option_invalid"],
    ["GroupRatio", `{"default":1${"2".repeat(64)}}`, "option_invalid"],
    ["ToolPrices", `{"web_search":{"*":0.${"0".repeat(63)}1},"file_search":{"*":1}}`, "option_invalid"],
    ["ModelRequestRateLimitGroup", '{"vip":[1]}', "option_invalid"],
    ["ModelRequestRateLimitGroup", '{"vip":[-1,1]}', "option_invalid"],
    ["ModelRequestRateLimitGroup", '{"vip":[0,0]}', "option_invalid"],
    ["ModelRequestRateLimitSuccessCount", "0", "option_invalid"],
    ["gemini.thinking_adapter_budget_tokens_percentage", "0.05", "option_invalid"],
    ["claude.thinking_adapter_budget_tokens_percentage", "1.1", "option_invalid"],
    ["general_setting.ping_interval_seconds", "0", "option_invalid"],
    ["Chats", '[{"Evil":"javascript:alert(1)"}]', "option_invalid"],
    ["Chats", '[{"a":"x","b":"y"}]', "option_invalid"],
    ["ServerAddress", "ftp://example.org", "option_invalid"],
    ["EmailDomainWhitelist", "not a domain", "option_invalid"],
    ["SMTPPort", "65536", "option_invalid"],
  ])("%s = %j: %s", (name, value, code) => {
    expect(refusal(name, value)).toMatchObject({ code, field: name });
  });
});

describe("a change is brought into one form", () => {
  test.each([
    ["ServerAddress", " https://gate.example.org// ", "https://gate.example.org"],
    ["WorkerUrl", "https://worker.example.org/", "https://worker.example.org"],
    ["PayAddress", "https://pay.example.org/", "https://pay.example.org"],
    ["WeChatServerAddress", "http://wechat.example.org/", "http://wechat.example.org"],
    ["EmailDomainWhitelist", " Gmail.com, gmail.com ,,qq.com", "gmail.com,qq.com"],
    ["AutomaticDisableKeywords", "Over Quota\r\n\nover quota\nClosed", "over quota\nclosed"],
    ["SensitiveWords", " Bad \nbad\n", "Bad\nbad"],
    ["Price", "07.30", "7.3"],
    ["RetryTimes", " 3 ", "3"],
  ])("%s: %j becomes %j", (name, sent, stored) => {
    expect(validateOption(name, sent, DEFAULTS).normalised).toBe(stored);
  });
});

describe("a switch that requires other options", () => {
  test.each([
    ["GitHubOAuthEnabled", "GitHubClientId"],
    ["oidc.enabled", "oidc.client_id"],
    ["LinuxDOOAuthEnabled", "LinuxDOClientId"],
    ["discord.enabled", "discord.client_id"],
    ["LarkAuthEnabled", "LarkClientId"],
    ["DingTalkAuthEnabled", "DingTalkClientId"],
    ["WeChatAuthEnabled", "WeChatServerAddress"],
    ["TurnstileCheckEnabled", "TurnstileSiteKey"],
    ["TelegramOAuthEnabled", "TelegramBotToken"],
    ["EmailVerificationEnabled", "SMTPServer"],
  ])("%s names what is missing: %s", (name, missing) => {
    expect(refusal(name, "true")).toMatchObject({
      code: "option_prerequisite",
      message: `Please set ${missing} first`,
    });
  });

  test("can be enabled once everything is set", () => {
    const current = set({ GitHubClientId: "id", GitHubClientSecret: "secret" });
    expect(validateOption("GitHubOAuthEnabled", "true", current).normalised).toBe("true");
  });

  test("can be enabled with either of two equivalent options, and the last of them cannot be removed", () => {
    const bySender = { SMTPServer: "mail.example.org", SMTPFrom: "site@example.org" };
    expect(validateOption("EmailVerificationEnabled", "true", set(bySender)).normalised).toBe("true");
    expect(refusal("EmailVerificationEnabled", "true", set({ SMTPServer: "mail.example.org" })).message).toBe(
      "Please set SMTPFrom first",
    );
    const on = { ...bySender, EmailVerificationEnabled: "true" };
    expect(refusal("SMTPFrom", "", set(on)).code).toBe("option_prerequisite");
    const both = set({ ...on, SMTPAccount: "site@example.org" });
    expect(validateOption("SMTPFrom", "", both).normalised).toBe("");
  });

  test("keeps its required options from being emptied", () => {
    const current = set({ GitHubClientId: "id", GitHubClientSecret: "secret", GitHubOAuthEnabled: "true" });
    expect(refusal("GitHubClientSecret", "", current).code).toBe("option_prerequisite");
  });

  test("the last way to log in cannot be disabled", () => {
    expect(refusal("PasswordLoginEnabled", "false").code).toBe("option_prerequisite");
    // Their switches can be set, but no login works by them yet.
    for (const name of [
      "GitHubOAuthEnabled",
      "oidc.enabled",
      "LinuxDOOAuthEnabled",
      "WeChatAuthEnabled",
      "TelegramOAuthEnabled",
    ])
      expect(refusal("PasswordLoginEnabled", "false", set({ [name]: "true" }))).toMatchObject({
        code: "option_prerequisite",
        field: "PasswordLoginEnabled",
      });
  });

  test.each([
    ["ModelRatio", '{"m":9007199254740993}'],
    ["GroupRatio", '{"default":1000001}'],
    ["ModelPrice", '{"m":1e30}'],
    ["ToolPrices", '{"web_search":{"*":{"low":1,"medium":2,"high":9007199254740993}},"file_search":{"*":1}}'],
    ["Price", "9007199254740993"],
    ["ServerAddress", "https://a.example/?x=1"],
    ["PayAddress", "https://a.example/#pay"],
    ["WorkerUrl", "https://a.example/w?"],
    ["Logo", "javascript:alert(1)"],
    ["Logo", " java\nscript:alert(1)"],
    ["Logo", "//elsewhere.example/logo.png"],
    ["Logo", "data:text/html,x"],
    ["TopUpLink", "javascript:alert(1)"],
    ["general_setting.docs_link", "javascript:alert(1)"],
    ["WeChatAccountQRCodeImageURL", "data:text/html,x"],
    ["Footer", "[terms](javascript:alert(1))"],
    ["Footer", "<javascript:alert(1)>"],
    ["HomePageContent", "[terms]: java\nscript:alert(1)"],
    ["HomePageContent", "javascript:alert(1) [terms][1]\n\n[1]: <vbscript:x>"],
    ["Chats", '[{"A":"\\u0001javascript:alert(1)"}]'],
    ["Chats", '[{"A":"java\\tscript:alert(1)"}]'],
  ])("%s does not take %j", (name, value) => {
    expect(refusal(name, value)).toMatchObject({ code: "option_invalid", field: name });
  });

  test.each([
    ["Logo", "/logo.png"],
    ["Logo", "https://a.example/logo.png?v=2"],
    ["Logo", "data:image/png;base64,AAAA"],
    ["ModelRatio", '{"m":1000000}'],
    ["TopUpLink", "https://shop.example/?id=1#card"],
    ["Footer", "[terms](https://a.example) about javascript: the language"],
    ["UserUsableGroups", '{"默认":"普通用户"}'],
  ])("%s takes %j", (name, value) => {
    expect(validateOption(name, value, set({})).normalised).toBe(value);
  });

  test.each([
    ["SystemName", "Turn\u202epike"],
    ["GroupRatio", '{"default":1,"v\\u200bip":1}'],
    ["UserUsableGroups", '{"vip":"\\u0007"}'],
    ["AutoGroups", '["def\\ud800ault"]'],
    ["Chats", '[{"A\\u2066":"https://a.example"}]'],
  ])("%s does not take invisible characters in a name: %j", (name, value) => {
    expect(refusal(name, value)).toMatchObject({ code: "name_characters", field: name });
  });

  test("a large ratio that was stored before is read on, so that no price falls back to another", () => {
    const stored = parseOptions(new Map([["ModelRatio", '{"m":5000000}']]));
    expect(stored.ModelRatio["m"]).toBe("5000000");
  });

  test("no name outside the catalogue is an option", () => {
    expect(["toString", "__proto__", "hasOwnProperty"].filter(isOptionName)).toEqual([]);
  });
});

describe("a list of statuses", () => {
  test.each([
    ["401", "401", [{ from: 401, to: 401 }]],
    [
      " 401 - 407，409-409,401-407 ",
      "401-407,409-409",
      [
        { from: 401, to: 407 },
        { from: 409, to: 409 },
      ],
    ],
    ["", "", []],
  ])("%j is stored as %j", (text, stored, ranges) => {
    expect(validateOption("AutomaticRetryStatusCodes", text, DEFAULTS).normalised).toBe(stored);
    expect(set({ AutomaticRetryStatusCodes: text }).AutomaticRetryStatusCodes).toEqual(ranges);
  });

  test.each(["99", "600", "407-401", "4xx", "401-", "401;402", "500-503-505", "-401"])(
    "%j is refused with the entry that is no status",
    (text) => {
      const { code, message, values } = refusal("AutomaticDisableStatusCodes", `429,${text}`);
      expect([code, values]).toMatchObject(["option_invalid", { reason: "status_range", entry: text }]);
      expect(message).toContain(text);
    },
  );

  test("is no longer than a list of every status", () => {
    expect(refusal("AutomaticRetryStatusCodes", "401,".repeat(1001)).values).toMatchObject({ reason: "long" });
  });
});
