/** Tests of the Content-Security-Policy: pages may frame the sites that the operator named, and no others. */
import { expect, test } from "vitest";
import { parseOptions } from "../../../../contract/src/options/options.ts";
import { PAYMENT_FORM_POLICY, pagePolicy } from "./security-headers.ts";

function frameSources(rows: Record<string, string>): string[] {
  const policy = pagePolicy("n0nce", parseOptions(new Map(Object.entries({ Chats: "[]", ...rows }))));
  const directive = policy.split("; ").find((part) => part.startsWith("frame-src "));
  return directive?.split(" ").slice(1) ?? [];
}

test("without framed pages only our own are framed", () => {
  expect(frameSources({})).toEqual(["'self'"]);
  expect(frameSources({ HomePageContent: "# Welcome to https://example.com" })).toEqual(["'self'"]);
});

test("a home and an about page by address are framed, each by its origin", () => {
  const rows = { HomePageContent: "https://example.com/welcome?a=1;script-src", About: "https://about.example:8443/" };
  expect(frameSources(rows)).toEqual(["'self'", "https://example.com", "https://about.example:8443"]);
});

test("a user agreement and a privacy policy by address are framed", () => {
  const rows = { "legal.user_agreement": "https://law.example/terms", "legal.privacy_policy": "https://data.example" };
  expect(frameSources(rows)).toEqual(["'self'", "https://law.example", "https://data.example"]);
});

test("an address that is not https is not framed", () => {
  for (const text of ["http://example.com", "javascript:alert(1)", "data:text/html,1", "https://a b"]) {
    expect(frameSources({ HomePageContent: text })).toEqual(["'self'"]);
  }
});

test("web chats are framed, chat applications of the desktop are not", () => {
  const chats = [{ Web: "https://chat.example/#/?key={key}" }, { Desktop: "ama://set-api-key?key={key}" }];
  expect(frameSources({ Chats: JSON.stringify(chats) })).toEqual(["'self'", "https://chat.example"]);
});

test("a script needs to be a file of ours, a style the page's nonce", () => {
  const policy = pagePolicy("n0nce", parseOptions(new Map()));
  expect(policy).toContain("script-src 'self';");
  expect(policy).toContain("style-src 'self' 'nonce-n0nce'");
  expect(policy).not.toContain("unsafe");
});

test("the captcha's origin is allowed only while the captcha is enabled", () => {
  const origin = "https://challenges.cloudflare.com";
  const policyWith = (value: string) => pagePolicy("n", parseOptions(new Map([["TurnstileCheckEnabled", value]])));
  expect(policyWith("false")).not.toContain(origin);
  const directives = policyWith("true").split("; ");
  const allowing = directives.filter((part) => part.includes(origin)).map((part) => part.split(" ")[0]);
  expect(allowing).toEqual(["script-src", "frame-src"]);
});

test("pages post to no other site, whatever gateway is set; the page of the payment form has one script and nothing else", () => {
  const rows = new Map([["PayAddress", "https://pay.example"]]);
  expect(pagePolicy("n0nce", parseOptions(rows)).split("; ")).toContain("form-action 'self'");
  expect(PAYMENT_FORM_POLICY).not.toContain("form-action");
  expect(PAYMENT_FORM_POLICY).toContain("default-src 'none'; script-src 'self';");
});

test("the speed test reaches the API addresses of the dashboard by their origins, and none while they are off", () => {
  const address = (url: string) => ({ url, route: "Main", description: "All models", color: "blue" });
  const list = [
    address("https://api.example/v1?a=b;c"),
    address("https://api.example"),
    address("http://10.0.0.1:3000"),
  ];
  const connectSources = (isEnabled: boolean) =>
    pagePolicy(
      "n",
      parseOptions(
        new Map([
          ["console_setting.api_info", JSON.stringify(list)],
          ["console_setting.api_info_enabled", String(isEnabled)],
        ]),
      ),
    )
      .split("; ")
      .find((part) => part.startsWith("connect-src "));
  expect(connectSources(true)).toBe("connect-src 'self' https://api.example http://10.0.0.1:3000");
  expect(connectSources(false)).toBe("connect-src 'self'");
});
