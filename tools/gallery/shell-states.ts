/** States around the pages: the command palette, menus, the announcement, the operator's own texts, and programs to connect. */
import type { Step } from "./gallery-page.ts";
import type { GalleryPage } from "./gallery-page.ts";

const PALETTE: readonly Step[] = [{ press: "Control+k" }, { wait: '[role="combobox"]' }];
const PROGRAMS = ["codex", "gemini-cli", "cursor", "cherry-studio", "curl"];

const NOTICE =
  "**Maintenance on Sunday, 02:00 to 02:30 UTC.**\n\nCalls are answered meanwhile, the console is read only. [Status](https://example.com/status)";
const ABOUT =
  "# Acme gateway\n\nOne address for the models that the **platform team** has contracts for.\n\n- Ask for a token in `#ai-platform`\n- Prices are what the vendors ask\n\n```\ncurl https://gate.acme.dev/v1/models\n```";
const PRICES =
  "# Acme gateway\n\nWhat a month costs, all models in:\n\n| Plan | Tokens a month | Price | For |\n| :--- | ---: | ---: | --- |\n| Small | 2M | $9 | one person, `gpt-5-mini` \\| `claude-haiku-4-5` |\n| **Team** | 50M | $190 | ten people with [single sign-on](https://example.com/sso) |\n| House | 1,000M | ask us | everybody |";
const HOME = "<h1>Acme gateway</h1><p>Log in with your company account to get a <b>token</b>.</p>";

/** @param drawn by which the text is known to be there: what draws it is loaded late */
const texts = (name: string, path: string, drawn: string, url: string, data: string): GalleryPage => ({
  name,
  path,
  as: "guest",
  answers: [{ url, answer: { data } }],
  steps: [{ wait: drawn }],
});

const searching = (name: string, typed: string): GalleryPage => ({
  name: `palette-${name}`,
  path: "/token",
  as: "root",
  steps: [...PALETTE, { type: typed }, { pauseMs: 500 }],
});

export const SHELL_STATES: readonly GalleryPage[] = [
  { name: "palette", path: "/token", as: "root", steps: PALETTE },
  searching("people", "li"),
  searching("models", "claude"),
  searching("nothing", "zzzz qqqq"),
  {
    name: "phone-menu",
    path: "/log",
    as: "root",
    steps: [{ click: "header button:has(.tabler-icon-menu-2)", isOptional: true }],
  },
  texts("notice", "/", "aside strong", "**/api/notice*", NOTICE),
  texts("about-own", "/about", "main h1", "**/api/about*", ABOUT),
  texts("home-own", "/", "main h1", "**/api/home_page_content*", HOME),
  texts("home-table", "/", "main td", "**/api/home_page_content*", PRICES),
  ...PROGRAMS.map((program): GalleryPage => ({
    name: `connect-${program}`,
    path: `/connect?token=1&program=${program}`,
    as: "root",
  })),
];
