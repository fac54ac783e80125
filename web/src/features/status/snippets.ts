/** How an SDK is pointed at this site, one way for each kind of client. Pure. */
import type { CodeLanguage } from "../../ui/display/code-tokens.ts";

export interface Snippet {
  id: "python" | "node" | "curl" | "env";
  language: CodeLanguage;
  code: (baseUrl: string, model: string) => string;
}

const quoted = (text: string): string => JSON.stringify(text);

export const SNIPPETS: readonly Snippet[] = [
  {
    id: "python",
    language: "python",
    code: (baseUrl, model) =>
      [
        "from openai import OpenAI",
        "",
        `client = OpenAI(base_url=${quoted(baseUrl)}, api_key="sk-...")`,
        "answer = client.chat.completions.create(",
        `    model=${quoted(model)},`,
        '    messages=[{"role": "user", "content": "Say hello."}],',
        ")",
      ].join("\n"),
  },
  {
    id: "node",
    language: "javascript",
    code: (baseUrl, model) =>
      [
        'import OpenAI from "openai";',
        "",
        `const client = new OpenAI({ baseURL: ${quoted(baseUrl)}, apiKey: "sk-..." });`,
        "const answer = await client.chat.completions.create({",
        `  model: ${quoted(model)},`,
        '  messages: [{ role: "user", content: "Say hello." }],',
        "});",
      ].join("\n"),
  },
  {
    id: "curl",
    language: "shell",
    code: (baseUrl, model) =>
      [
        `curl ${baseUrl}/chat/completions \\`,
        '  -H "Authorization: Bearer sk-..." \\',
        '  -H "Content-Type: application/json" \\',
        `  -d '{"model": ${quoted(model).replaceAll("'", "'\\''")},`,
        '       "messages": [{"role": "user", "content": "Say hello."}]}\'',
      ].join("\n"),
  },
  {
    id: "env",
    language: "shell",
    code: (baseUrl) => [`export OPENAI_BASE_URL=${quoted(baseUrl)}`, 'export OPENAI_API_KEY="sk-..."'].join("\n"),
  },
];
