/** The site's theme: that of VitePress in the product's colours; its fonts come with it, so that a page asks no other host for anything. */
import { type Theme, useData, withBase } from "vitepress";
import DefaultTheme from "vitepress/theme";
import { h, type VNode } from "vue";
import "./style.css";

/** The link to the same page in the other language, where there is one; the menu of languages leads to their first pages. */
function OtherLanguage(): VNode | null {
  const { frontmatter, lang } = useData();
  const address: unknown = frontmatter.value["otherLanguage"];
  if (typeof address !== "string") return null;
  const [text, other] = lang.value === "en" ? ["简体中文", "zh-CN"] : ["English", "en"];
  return h("a", { class: "other-language", href: withBase(address), lang: other, hreflang: other }, text);
}

const theme: Theme = {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { "doc-before": () => h(OtherLanguage) }),
};
export default theme;
