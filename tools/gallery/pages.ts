/** Every page of the console that the gallery photographs, and the ways it is shown. */

export interface GalleryPage {
  name: string;
  path: string;
  /** `fresh`: before the wizard is done; `guest`: not logged in; `root`: the administrator. */
  as: "fresh" | "guest" | "root";
  /** Clicked before the picture is taken: the first element the selector finds. */
  opens?: string;
}

export const PAGES: readonly GalleryPage[] = [
  { name: "setup", path: "/setup", as: "fresh" },
  { name: "home", path: "/", as: "guest" },
  { name: "about", path: "/about", as: "guest" },
  { name: "pricing-guest", path: "/pricing", as: "guest" },
  { name: "pricing", path: "/pricing", as: "root" },
  { name: "login", path: "/login", as: "guest" },
  { name: "login-expired", path: "/login?expired=true", as: "guest" },
  { name: "not-found", path: "/there-is-no-such-page", as: "guest" },
  { name: "dashboard", path: "/detail", as: "root" },
  { name: "dashboard-table", path: "/detail?as=table&show=tokens", as: "root" },
  { name: "tokens", path: "/token", as: "root" },
  { name: "channels", path: "/channel", as: "root" },
  { name: "channel-add", path: "/channel/add", as: "root" },
  { name: "channel-edit", path: "/channel/edit/1", as: "root" },
  { name: "logs", path: "/log", as: "root" },
];

export interface Look {
  width: number;
  height: number;
  theme: "light" | "dark";
  language: "en" | "zh";
}

const SIZES = [
  { width: 1440, height: 900 },
  { width: 1024, height: 768 },
  { width: 390, height: 844 },
];

export const LOOKS: readonly Look[] = SIZES.flatMap((size) =>
  (["light", "dark"] as const).flatMap((theme) =>
    (["en", "zh"] as const).map((language) => ({ ...size, theme, language })),
  ),
);

export const pictureName = (page: GalleryPage, { width, theme, language }: Look): string =>
  `${page.name}-${width}-${theme}-${language}.png`;
