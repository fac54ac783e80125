/** Tests of proxy credentials: decrypted for the same address alone, masked in any spelling, and `***` keeps them for the same protocol, host and port alone. */
import { describe, expect, test } from "vitest";
import {
  hasPlainLogin,
  meantByProxy,
  openProxy,
  proxyIn,
  sealProxy,
  sentProxy,
  shownProxy,
  withProxy,
} from "./proxy-login.ts";
import { createSecrets } from "./secrets.ts";

const secrets = createSecrets("4f1c9d7e2a8b4e6fa03d5c7b9e1f2a6d");
const others = createSecrets("9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c4d");
const PLAIN = "http://anna:pa%40ss@proxy.example:3128";

/** As people write them and as they slip: what is no address holds its password all the same. */
const WITH_LOGIN = [
  PLAIN,
  "https://anna:pass@proxy.example",
  "socks5://anna:pass@[2001:db8::1]:1080",
  "socks5h://anna@proxy.example",
  "HTTP://anna:pass@PROXY.example/",
  "http://anna:p@ss@proxy.example:3128",
  "http://anna:pa/ss@proxy.example:3128",
  "http://anna:pa ss@proxy.example:port",
  "anna:pass@proxy.example",
  "http://@proxy.example",
];

describe("a stored proxy", () => {
  test.each(WITH_LOGIN)("%s is sealed, hidden, and opens to what it was", (plain) => {
    const stored = sealProxy(secrets, plain);
    expect(stored).not.toMatch(/anna|pass|pa%40|pa ss|pa\/ss/);
    expect(openProxy(secrets, stored)).toBe(plain);
    for (const text of [plain, stored]) {
      expect(shownProxy(text)).not.toMatch(/anna|pass|pa%40|pa ss|ss@/);
      expect(shownProxy(text)).toContain("***@");
      expect(shownProxy(text).toLowerCase()).toContain(plain.slice(plain.lastIndexOf("@")).toLowerCase());
    }
  });

  test.each(["", "http://proxy.example:3128", "socks5://127.0.0.1:1080", "nonsense"])("%j has none", (plain) => {
    for (const made of [sealProxy(secrets, plain), openProxy(secrets, plain), shownProxy(plain)])
      expect(made).toBe(plain);
  });

  test("opens beside another protocol, host or port, or with another key, never", () => {
    const [, login = ""] = /\/\/(.*)@/.exec(sealProxy(secrets, PLAIN)) ?? [];
    for (const place of ["https://?@proxy.example:3128", "http://?@evil.example:3128", "http://?@proxy.example:3129"])
      expect(() => openProxy(secrets, place.replace("?", login))).toThrow("another row");
    expect(() => openProxy(others, sealProxy(secrets, PLAIN))).toThrow("another SECRET_KEY");
    expect(openProxy(secrets, `http://${login}@PROXY.example:3128/`)).toContain("anna");
  });

  test("a typed login that looks encrypted is treated as a plain one", () => {
    const typed = sealProxy(secrets, PLAIN);
    const stored = sealProxy(secrets, typed);
    expect(stored).not.toBe(typed);
    expect(openProxy(secrets, stored)).toBe(typed);
  });
});

describe("what a proxy means", () => {
  const meant = (plain: string) => meantByProxy(secrets, sealProxy(secrets, plain));

  test("is the same however often it is sealed, and whatever its spelling", () => {
    expect(sealProxy(secrets, PLAIN)).not.toBe(sealProxy(secrets, PLAIN));
    for (const same of [PLAIN, "HTTP://anna:pa%40ss@PROXY.example:3128/"]) expect(meant(same)).toBe(meant(PLAIN));
    expect(meantByProxy(secrets, PLAIN)).toBe(meant(PLAIN));
    expect(meant("http://a:b@proxy.example")).toBe(meant("http://a:b@proxy.example:80"));
  });

  test("differs by protocol, login, host and port", () => {
    const all = [
      PLAIN,
      "",
      "http://proxy.example:3128",
      PLAIN.replace("http", "https"),
      PLAIN.replace("anna", "otto"),
      PLAIN.replace("pa", "ba"),
      PLAIN.replace("proxy", "other"),
      PLAIN.replace("3128", "3129"),
      "http://evil.example:80/x@proxy.example:3128",
    ];
    expect(new Set(all.map(meant)).size).toBe(all.length);
  });

  test("is the text itself where the login cannot be opened: unchanged it stays, anything else is another", () => {
    const stored = sealProxy(others, PLAIN);
    expect(meantByProxy(secrets, stored)).toBe(stored);
    expect(meant(PLAIN)).not.toBe(stored);
  });
});

describe("a proxy that is sent", () => {
  const stored = sealProxy(secrets, PLAIN);
  const sentUpon = (sent: string, known = stored) => sentProxy(secrets, sent, known);

  test("with *** keeps the stored login for the same protocol, host and port", () => {
    expect(sentUpon("http://***@proxy.example:3128")).toBe(stored);
    expect(openProxy(secrets, sentUpon("http://***@PROXY.example:3128/") ?? "")).toContain("anna:pa%40ss@");
    const kept = sentUpon("http://***@proxy.example:3128", PLAIN) ?? "";
    expect([kept.includes("anna"), openProxy(secrets, kept)]).toEqual([false, PLAIN]);
  });

  test.each([
    "http://***@evil.example:3128",
    "https://***@proxy.example:3128",
    "http://***@proxy.example",
    "http://***@proxy.example:3129",
    "http://***@proxy.example:3128@evil.example",
    "http://evil.example/***@proxy.example:3128",
    "http://otto:***@proxy.example:3128",
    "http://***:mine@proxy.example:3128",
    "http://***:***@proxy.example:3128",
    "***@proxy.example:3128",
  ])("%s gets no stored login", (sent) => {
    const made = sentUpon(sent);
    expect(made === undefined || !openProxy(secrets, made).includes("anna")).toBe(true);
  });

  test("with *** where nothing is stored is refused", () => {
    for (const known of ["", "http://proxy.example:3128"])
      expect(sentUpon("http://***@proxy.example:3128", known)).toBeUndefined();
  });

  test("with another login, or none, is taken as it is", () => {
    expect(openProxy(secrets, sentUpon("http://otto:x@evil.example") ?? "")).toBe("http://otto:x@evil.example");
    expect(sentUpon("http://proxy.example:3128")).toBe("http://proxy.example:3128");
  });
});

test("the proxy in a setting is changed alone, and a setting without one stays the same text", () => {
  const setting = '{"max_concurrency": 3, "proxy": "http://a:b@c"}';
  expect(withProxy(setting, shownProxy)).toBe('{"max_concurrency":3,"proxy":"http://***@c"}');
  for (const same of ["", '{"max_concurrency": 3}', '{"proxy": 5}', "[]", "{", "null"]) {
    expect(withProxy(same, () => "x")).toBe(same);
    expect([proxyIn(same), hasPlainLogin(same)]).toEqual(["", false]);
  }
  expect(hasPlainLogin(setting)).toBe(true);
  expect(hasPlainLogin(withProxy(setting, (proxy) => sealProxy(secrets, proxy)))).toBe(false);
});
