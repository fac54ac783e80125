/** Makes the documentation site of docs/: where its pages come from, its two languages, its search; every part of it is served by itself. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type DefaultTheme, defineConfig } from "vitepress";
import { leadLinks, slugOf } from "./links.ts";
import { DECISIONS, type Locale, otherLanguageOf, rewritesOf, sidebarOf, titleOf } from "./pages.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Documents of a folder, from the root. */
const documentsIn = (folder: string): string[] =>
  readdirSync(`${ROOT}${folder}`)
    .filter((name) => name.endsWith(".md"))
    .map((name) => `${folder}/${name}`);

const rewrites = rewritesOf([
  ...documentsIn("docs"),
  ...documentsIn("docs/zh"),
  ...documentsIn(DECISIONS),
  ...documentsIn("site/pages"),
  ...documentsIn("site/pages/zh"),
  ...documentsIn("site/pages/api"),
]);

const headingOf = (path: string): string => /^# (.*)$/m.exec(readFileSync(`${ROOT}${path}`, "utf8"))?.[1] ?? path;

const decisions = Object.fromEntries(
  documentsIn(DECISIONS).map((path) => [path.slice(DECISIONS.length + 1, -".md".length), headingOf(path)]),
);

const themeOf = (locale: Locale): DefaultTheme.Config => {
  const isChinese = locale === "zh";
  const begin = isChinese ? "/zh/" : "/";
  return {
    nav: [
      { text: isChinese ? "快速开始" : "Quick start", link: `${begin}quick-start` },
      { text: isChinese ? "故障排查" : "Troubleshooting", link: `${begin}troubleshooting` },
      { text: "API", link: "/api/index" },
    ],
    sidebar: sidebarOf(locale, decisions),
    outline: { level: [2, 3], label: isChinese ? "本页内容" : "On this page" },
    ...(isChinese
      ? {
          docFooter: { prev: "上一页", next: "下一页" },
          darkModeSwitchLabel: "外观",
          lightModeSwitchTitle: "切换到浅色",
          darkModeSwitchTitle: "切换到深色",
          sidebarMenuLabel: "菜单",
          returnToTopLabel: "返回顶部",
          langMenuLabel: "切换语言",
          notFound: { title: "页面不存在", quote: "此地址没有页面。", linkLabel: "返回首页", linkText: "返回首页" },
        }
      : {}),
  };
};

const SEARCH: DefaultTheme.Config["search"] = {
  provider: "local",
  options: {
    locales: {
      zh: {
        translations: {
          button: { buttonText: "搜索", buttonAriaLabel: "搜索" },
          modal: {
            displayDetails: "显示详情",
            resetButtonTitle: "清除",
            backButtonTitle: "关闭",
            noResultsText: "没有结果：",
            footer: { selectText: "打开", navigateText: "选择", closeText: "关闭" },
          },
        },
      },
    },
    miniSearch: {
      // Chinese has no spaces between words: each of its characters is a word of the index.
      options: {
        tokenize: (text: string) => text.match(/\p{Script=Han}|[^\s\p{P}\p{Script=Han}]+/gu) ?? [],
      },
    },
  },
};

export default defineConfig({
  title: "Turnpike",
  description: "A self-hosted gateway for AI model APIs, with its console.",
  srcDir: "..",
  srcExclude: [
    "{README,ARCHITECTURE,CONTRIBUTING}.md",
    "{bench,bin,contract,deploy,server,tests,tools,web,data,gallery}/**",
  ],
  // The pages of the API are made, so that they are in no list.
  rewrites: (page) => rewrites[page] ?? page.replace("site/pages/", ""),
  outDir: "dist",
  head: [["link", { rel: "icon", href: "/mark.svg", type: "image/svg+xml" }]],
  locales: {
    root: { label: "English", lang: "en", themeConfig: themeOf("en") },
    zh: {
      label: "简体中文",
      lang: "zh-CN",
      description: "自托管的 AI 模型 API 网关，附带控制台。",
      themeConfig: themeOf("zh"),
    },
  },
  // Only some pages have a translation: theme/index.ts shows where.
  transformPageData({ relativePath, frontmatter }) {
    const other = otherLanguageOf(relativePath);
    return other === undefined ? {} : { frontmatter: { ...frontmatter, otherLanguage: other } };
  },
  themeConfig: { i18nRouting: false, logo: "/mark.svg", search: SEARCH, externalLinkIcon: true },
  markdown: {
    // Written like nginx's, and without a grammar of its own here.
    languageAlias: { caddyfile: "nginx" },
    anchor: { slugify: slugOf },
    config: (parser) => leadLinks(parser, ROOT, { rewrites, titleOf }),
  },
  vite: { publicDir: fileURLToPath(new URL("../public", import.meta.url)) },
});
