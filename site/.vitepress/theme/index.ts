/** The site's theme: that of VitePress in the product's colours; its fonts come with it, so that a page asks no other host for anything. */
import type { Theme } from "vitepress";
import DefaultTheme from "vitepress/theme";
import "./style.css";

const theme: Theme = { extends: DefaultTheme };
export default theme;
