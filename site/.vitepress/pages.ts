/** Navigation of the documentation site: every document of docs/ with its titles, section by section; tests/site-pages.test.ts holds it to the folder. */

export type Locale = "en" | "zh";

interface Page {
  /** Name of the document in docs/ without `.md`; of a page that the site makes, its address. */
  name: string;
  title: string;
  /** Title of docs/zh/<name>.md; absent where there is none. */
  chinese?: string;
  /** Where it stands, when that is not docs/<name>.md; undefined for a page that is made. */
  source?: string;
}

interface Section {
  title: string;
  chinese: string;
  pages: readonly Page[];
}

export const SECTIONS: readonly Section[] = [
  {
    title: "Begin",
    chinese: "开始使用",
    pages: [
      { name: "quick-start", title: "Quick start", chinese: "快速开始" },
      { name: "scripted-install", title: "Without a browser" },
      { name: "connecting", title: "Connecting a program" },
      { name: "clients", title: "Client by client" },
      { name: "moving-in", title: "Moving in", chinese: "迁移到本系统" },
      { name: "migrating", title: "From another gateway" },
      { name: "migrating-keys", title: "Keys of new-api" },
      { name: "production", title: "Production checklist", chinese: "生产环境检查清单" },
    ],
  },
  {
    title: "Operate",
    chinese: "运维",
    pages: [
      { name: "deployment", title: "Deployment" },
      { name: "kubernetes", title: "Kubernetes" },
      { name: "reverse-proxy", title: "Reverse proxy" },
      { name: "sizing", title: "Sizing" },
      { name: "high-availability", title: "High availability", chinese: "高可用" },
      { name: "backup", title: "Backup and restore", chinese: "备份与恢复" },
      { name: "upgrading", title: "Upgrade and rollback" },
      { name: "monitoring", title: "Monitoring" },
      { name: "hardening", title: "Hardening" },
      { name: "troubleshooting", title: "Troubleshooting", chinese: "故障排查" },
      { name: "config-as-code", title: "Configuration as code" },
      { name: "worker", title: "Worker proxy" },
    ],
  },
  {
    title: "Models and channels",
    chinese: "模型与渠道",
    pages: [
      { name: "channel-settings", title: "Settings of a channel" },
      { name: "channel-keys", title: "Several keys" },
      { name: "channel-checks", title: "Tests and balances" },
      { name: "choosing-channels", title: "Choice of channels" },
      { name: "model-names", title: "Model names" },
      { name: "overrides", title: "Parameter overrides" },
      { name: "providers", title: "Providers" },
      { name: "compatibility", title: "Clients and upstreams" },
      { name: "tasks", title: "Images, songs, videos" },
    ],
  },
  {
    title: "People and money",
    chinese: "用户与费用",
    pages: [
      { name: "billing", title: "What is charged" },
      { name: "payments", title: "Payments" },
      { name: "identities", title: "Signing in" },
      { name: "second-factors", title: "Second factors" },
      { name: "permissions", title: "Administrators' permissions" },
      { name: "notifications", title: "Notifications" },
    ],
  },
  {
    title: "Reference",
    chinese: "参考",
    pages: [
      { name: "configuration", title: "Environment variables" },
      { name: "options", title: "Who sets which option" },
      { name: "option-list", title: "Every option" },
      { name: "limits", title: "Limits" },
      { name: "metrics", title: "Metrics" },
      { name: "command-line", title: "Command line" },
      { name: "error-codes", title: "Error codes" },
      { name: "api/index", title: "API", source: "site/pages/api/index.md" },
      { name: "changelog", title: "Changelog", source: "CHANGELOG.md" },
    ],
  },
  {
    title: "The project",
    chinese: "项目",
    pages: [
      { name: "benchmarks", title: "Benchmarks" },
      { name: "security", title: "Security policy", source: "SECURITY.md" },
      { name: "asvs", title: "OWASP ASVS" },
      { name: "testing", title: "Tests" },
      { name: "long-tests", title: "Long tests" },
      { name: "corpus", title: "Recorded answers" },
      { name: "recipes", title: "Recipes" },
    ],
  },
];

/** Documents of docs/ that are in no section, each with its reason. */
export const LEFT_OUT: Readonly<Record<string, string>> = {};

/** Folder of the one-page notes, which are a section of their own, in the order of their numbers. */
export const DECISIONS = "docs/decisions";

const PAGES = SECTIONS.flatMap(({ pages }) => pages);

/** The path of a page's source from the root of the repository. */
export const sourceOf = ({ name, source }: Page): string => source ?? `docs/${name}.md`;

/** Names of the documents of docs/ that the table has, in English or in Chinese. */
export const listedNames = (locale: Locale): string[] =>
  PAGES.filter(({ source, chinese }) => source === undefined && (locale === "en" || chinese !== undefined)).map(
    ({ name }) => name,
  );

/** Source of each page, from the root, to the page that the site makes of it: VitePress' rewrites. */
export function rewritesOf(documents: readonly string[]): Record<string, string> {
  const moved = PAGES.flatMap((page) => (page.source === undefined ? [] : [[page.source, `${page.name}.md`] as const]));
  const kept = documents.map((path) => [path, path.replace(/^(?:docs|site\/pages)\//, "")] as const);
  return Object.fromEntries([...kept, ...moved]);
}

/** The title of a page by its file: `backup.md`, `zh/backup.md`; undefined where it is in no section. */
export function titleOf(file: string): string | undefined {
  const isChinese = file.startsWith("zh/");
  const page = PAGES.find(({ name }) => `${name}.md` === file.replace(/^zh\//, ""));
  return isChinese ? page?.chinese : page?.title;
}

/** Address of the same page in the other language; undefined where it has one language. @param file as the site has it: `backup.md` */
export function otherLanguageOf(file: string): string | undefined {
  const name = file.replace(/^zh\//, "").replace(/\.md$/, "");
  if (PAGES.find((page) => page.name === name)?.chinese === undefined) return undefined;
  return file.startsWith("zh/") ? `/${name}.html` : `/zh/${name}.html`;
}

interface Entry {
  text: string;
  link: string;
}

/** A group of the sidebar. */
export interface Group {
  text: string;
  collapsed?: boolean;
  items: Entry[];
}

/**
 * The sidebar of a language. In Chinese a page without a translation leads to the English one, and says so.
 * @param titles of the notes on decisions by their names, as they stand in the folder
 */
export function sidebarOf(locale: Locale, titles: Readonly<Record<string, string>>): Group[] {
  const entryOf = ({ name, title, chinese }: Page): Entry => {
    if (locale === "en") return { text: title, link: `/${name}` };
    return chinese === undefined
      ? { text: `${title}（英文）`, link: `/${name}` }
      : { text: chinese, link: `/zh/${name}` };
  };
  const groups = SECTIONS.map(({ title, chinese, pages }) => ({
    text: locale === "en" ? title : chinese,
    items: pages.map(entryOf),
  }));
  const decisions = Object.entries(titles).map(([name, text]) => ({ text, link: `/decisions/${name}` }));
  return [...groups, { text: locale === "en" ? "Decisions" : "设计决策（英文）", collapsed: true, items: decisions }];
}
