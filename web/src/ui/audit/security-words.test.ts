/** Tests of the words of the security log: every row is said in sentences of the reader's language, without the short words in which it is stored. */
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { SECURITY_EVENT_KINDS } from "../../../../contract/src/security-events.ts";
import { addTexts, type Language, translator } from "../../lib/i18n.ts";
import type { Texts } from "../../lib/translate.ts";
import { securityDetail, securityTitle } from "./security-words.ts";

type Event = Parameters<typeof securityDetail>[1];

const PLAIN: Event = { kind: "signed_in", way: "", reason: "", network: "", actor_id: 0, count: 1 };

beforeAll(() => {
  for (const language of ["en", "zh"] as const)
    for (const name of ["personal", "ui"]) {
      const file = new URL(`../../locales/${language}/${name}.json`, import.meta.url);
      addTexts(language, name, JSON.parse(readFileSync(file, "utf8")) as Texts);
    }
});

const detail = (language: Language, event: Partial<Event>): string =>
  securityDetail(translator("personal", language), { ...PLAIN, ...event });

test.each<[Partial<Event>, string, string]>([
  [
    { kind: "channel_key_changed", reason: "made 8", network: "203.0.113.0/24" },
    "Keys came with the new channels: #8. It came from 203.0.113.0/24.",
    "新渠道 #8 已随密钥一同创建。来自 203.0.113.0/24。",
  ],
  [
    { kind: "channel_key_redirected", reason: "channel 8: type, base_url" },
    "The stored key of the channel #8 goes elsewhere, because this was changed: provider, base URL.",
    "渠道 #8 已存储的密钥将发往其他地址，因为更改了提供商、基础地址。",
  ],
  [{ kind: "signed_in", way: "password" }, "The login was by: Password.", "登录方式为密码。"],
  [
    { kind: "account_changed", reason: "disable", actor_id: 4 },
    "The act was to disable the account. It was user 4.",
    "操作为禁用账户。操作者为用户 4。",
  ],
  [
    { kind: "setup_link_made", reason: "claude-code, token 7" },
    "It sets up Claude Code with the token #7.",
    "用于配置 Claude Code，令牌为 #7。",
  ],
  [
    { kind: "locked_out", reason: "step_up", count: 3 },
    "It was about the confirmation of a protected act. It happened 3 times.",
    "涉及受保护操作的身份确认。共发生 3 次。",
  ],
  [{ kind: "recovery_codes_made" }, "", ""],
])("%o", (event, english, chinese) => {
  expect(detail("en", event)).toBe(english);
  expect(detail("zh", event)).toBe(chinese);
});

describe.each(["en", "zh"] as const)("in %s", (language) => {
  test.each(SECURITY_EVENT_KINDS)("%s has its title, and its way a sentence", (kind) => {
    const t = translator("personal", language);
    expect(securityTitle(t, { kind })).not.toContain("kind.");
    expect(detail(language, { kind, way: "passkey" })).toMatch(language === "en" ? /\w\.$/ : /。$/);
  });
});
