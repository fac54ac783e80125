/** Navigation of the documentation site: every document of docs/ with its titles, section by section; tests/site-pages.test.ts holds it to the folder. */

export type Locale = "en" | "zh";

interface Page {
  /** Name of the document in docs/ without `.md`; of a page that the site makes, its address. */
  name: string;
  title: string;
  chinese: string;
  /** Whether there is docs/zh/<name>.md, which has the Chinese title. */
  isTranslated?: true;
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
      { name: "quick-start", title: "Quick start", chinese: "快速开始", isTranslated: true },
      { name: "scripted-install", title: "Without a browser", chinese: "不使用浏览器安装" },
      { name: "connecting", title: "Connecting a program", chinese: "接入程序" },
      { name: "clients", title: "Client by client", chinese: "各客户端设置" },
      { name: "moving-in", title: "Moving in", chinese: "迁移到本系统", isTranslated: true },
      { name: "migrating", title: "From another gateway", chinese: "从其他网关迁入" },
      { name: "migrating-keys", title: "Keys of new-api", chinese: "new-api 的配置项" },
      { name: "production", title: "Production checklist", chinese: "生产环境检查清单", isTranslated: true },
    ],
  },
  {
    title: "Operate",
    chinese: "运维",
    pages: [
      { name: "deployment", title: "Deployment", chinese: "部署" },
      { name: "kubernetes", title: "Kubernetes", chinese: "Kubernetes" },
      { name: "reverse-proxy", title: "Reverse proxy", chinese: "反向代理" },
      { name: "sizing", title: "Sizing", chinese: "容量规划" },
      { name: "log-database", title: "A database for the log", chinese: "独立的日志数据库" },
      { name: "high-availability", title: "High availability", chinese: "高可用", isTranslated: true },
      { name: "backup", title: "Backup and restore", chinese: "备份与恢复", isTranslated: true },
      { name: "upgrading", title: "Upgrade and rollback", chinese: "升级与回退" },
      { name: "monitoring", title: "Monitoring", chinese: "监控" },
      { name: "hardening", title: "Hardening", chinese: "安全加固" },
      { name: "troubleshooting", title: "Troubleshooting", chinese: "故障排查", isTranslated: true },
      { name: "config-as-code", title: "Configuration as code", chinese: "配置即代码" },
      { name: "worker", title: "Worker proxy", chinese: "Worker 代理" },
    ],
  },
  {
    title: "Models and channels",
    chinese: "模型与渠道",
    pages: [
      { name: "channel-settings", title: "Settings of a channel", chinese: "渠道设置" },
      { name: "channel-keys", title: "Several keys", chinese: "多密钥" },
      { name: "channel-checks", title: "Tests and balances", chinese: "测试与余额" },
      { name: "choosing-channels", title: "Choice of channels", chinese: "渠道选择" },
      { name: "model-names", title: "Model names", chinese: "模型名称" },
      { name: "overrides", title: "Parameter overrides", chinese: "参数覆盖" },
      { name: "providers", title: "Providers", chinese: "上游厂商" },
      { name: "compatibility", title: "Clients and upstreams", chinese: "客户端与上游" },
      { name: "tasks", title: "Images, songs, videos", chinese: "图片、歌曲与视频" },
    ],
  },
  {
    title: "People and money",
    chinese: "用户与费用",
    pages: [
      { name: "billing", title: "What is charged", chinese: "计费规则" },
      { name: "payments", title: "Payments", chinese: "支付" },
      { name: "identities", title: "Signing in", chinese: "登录方式" },
      { name: "second-factors", title: "Second factors", chinese: "两步验证" },
      { name: "permissions", title: "Administrators' permissions", chinese: "管理员权限" },
      { name: "notifications", title: "Notifications", chinese: "通知" },
    ],
  },
  {
    title: "Reference",
    chinese: "参考",
    pages: [
      { name: "configuration", title: "Environment variables", chinese: "环境变量" },
      { name: "options", title: "Who sets which option", chinese: "选项权限" },
      { name: "option-list", title: "Every option", chinese: "全部选项" },
      { name: "limits", title: "Limits", chinese: "限制" },
      { name: "metrics", title: "Metrics", chinese: "指标" },
      { name: "command-line", title: "Command line", chinese: "命令行" },
      { name: "error-codes", title: "Error codes", chinese: "错误码" },
      { name: "api/index", title: "API", chinese: "API", source: "site/pages/api/index.md" },
      { name: "changelog", title: "Changelog", chinese: "更新日志", source: "CHANGELOG.md" },
    ],
  },
  {
    title: "The project",
    chinese: "项目",
    pages: [
      { name: "benchmarks", title: "Benchmarks", chinese: "性能基准" },
      { name: "security", title: "Security policy", chinese: "安全策略", source: "SECURITY.md" },
      { name: "asvs", title: "OWASP ASVS", chinese: "OWASP ASVS" },
      { name: "testing", title: "Tests", chinese: "测试" },
      { name: "long-tests", title: "Long tests", chinese: "长时测试" },
      { name: "corpus", title: "Recorded answers", chinese: "厂商应答样本" },
      { name: "recipes", title: "Recipes", chinese: "开发指南" },
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
  PAGES.filter(({ source, isTranslated }) => source === undefined && (locale === "en" || isTranslated === true)).map(
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
  if (!isChinese) return page?.title;
  return page?.isTranslated === true ? page.chinese : undefined;
}

/** Address of the same page in the other language; undefined where it has one language. @param file as the site has it: `backup.md` */
export function otherLanguageOf(file: string): string | undefined {
  const name = file.replace(/^zh\//, "").replace(/\.md$/, "");
  if (PAGES.find((page) => page.name === name)?.isTranslated !== true) return undefined;
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
  const entryOf = ({ name, title, chinese, isTranslated }: Page): Entry => {
    if (locale === "en") return { text: title, link: `/${name}` };
    return isTranslated === true
      ? { text: chinese, link: `/zh/${name}` }
      : { text: `${chinese}（英文）`, link: `/${name}` };
  };
  const groups = SECTIONS.map(({ title, chinese, pages }) => ({
    text: locale === "en" ? title : chinese,
    items: pages.map(entryOf),
  }));
  const decisions = Object.entries(titles).map(([name, text]) => ({ text, link: `/decisions/${name}` }));
  return [...groups, { text: locale === "en" ? "Decisions" : "设计决策（英文）", collapsed: true, items: decisions }];
}
