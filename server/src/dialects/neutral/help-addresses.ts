/** Public help and console pages of vendors, which an upstream's error may name to an administrator; part of the hub. */

/** Nothing may stand behind these in a path but words of a page: no API is served there, and no operator can have set one as a base URL. */
const HELP_PAGES: Readonly<Record<string, readonly string[]>> = {
  "platform.openai.com": ["/account", "/docs", "/settings", "/api-keys", "/usage"],
  "help.openai.com": ["/"],
  "status.openai.com": ["/"],
  "console.anthropic.com": ["/"],
  "docs.anthropic.com": ["/"],
  "platform.claude.com": ["/"],
  "docs.claude.com": ["/"],
  "support.claude.com": ["/"],
  "support.anthropic.com": ["/"],
  "ai.google.dev": ["/"],
  "aistudio.google.com": ["/"],
  "cloud.google.com": ["/"],
  "console.cloud.google.com": ["/apis", "/billing"],
  "console.developers.google.com": ["/apis", "/billing"],
  "learn.microsoft.com": ["/"],
  "docs.aws.amazon.com": ["/"],
  "console.groq.com": ["/"],
  "docs.mistral.ai": ["/"],
  "console.mistral.ai": ["/"],
  "api-docs.deepseek.com": ["/"],
  "platform.deepseek.com": ["/"],
  "docs.x.ai": ["/"],
  "console.x.ai": ["/"],
  "openrouter.ai": ["/docs", "/settings", "/keys", "/credits"],
  "docs.cohere.com": ["/"],
  "dashboard.cohere.com": ["/"],
  "docs.perplexity.ai": ["/"],
  "docs.together.ai": ["/"],
  "docs.fireworks.ai": ["/"],
  "help.aliyun.com": ["/"],
  "www.alibabacloud.com": ["/help"],
  "cloud.tencent.com": ["/document"],
  "www.volcengine.com": ["/docs"],
  "docs.bigmodel.cn": ["/"],
  "docs.siliconflow.cn": ["/"],
  "cloud.siliconflow.cn": ["/"],
  "platform.moonshot.cn": ["/docs", "/console"],
  "platform.moonshot.ai": ["/docs", "/console"],
};

/** Characters of an address; longer ones are no page that a person looks up. */
export const LONGEST_HELP = 200;
/** Words of a path: no run long enough for a key, and no long number of an account or project. */
const PLAIN_PATH = /^(?:\/[A-Za-z][A-Za-z-]{0,40}(?:[._][A-Za-z-]{1,40}){0,4})*\/?$/;

const isBelow = (path: string, start: string): boolean =>
  start === "/" || path === start || path.startsWith(`${start}/`);

/**
 * The address as an administrator may read it, without its query, where it is a well-known vendor's page of help; undefined for all others.
 * One with a user, a port, or anything in its path that is no word is none.
 */
export function helpAddress(address: string): string | undefined {
  const url = URL.parse(address);
  if (url === null || url.protocol !== "https:" || url.username !== "" || url.password !== "" || url.port !== "")
    return undefined;
  const starts = Object.hasOwn(HELP_PAGES, url.hostname) ? HELP_PAGES[url.hostname] : undefined;
  const { pathname } = url;
  if (starts?.some((start) => isBelow(pathname, start)) !== true || !PLAIN_PATH.test(pathname)) return undefined;
  return `https://${url.hostname}${pathname}`;
}
