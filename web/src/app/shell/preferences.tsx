/** Theme and language, in the top bar and in the phone's menu. */
import { IconLanguage, IconMoon, IconSun } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { useScheme } from "../../lib/scheme.ts";
import { IconButton } from "../../ui/plain.tsx";

const LanguageMenu = lazy(async () => ({ default: (await import("./language-menu.tsx")).LanguageMenu }));

export function ThemeButton() {
  const { t } = useTranslation("shell");
  const { scheme, toggle } = useScheme();
  const Icon = scheme === "dark" ? IconMoon : IconSun;
  return (
    <IconButton label={t(scheme === "dark" ? "theme.toLight" : "theme.toDark")} onClick={toggle}>
      <Icon size={17} stroke={1.5} />
    </IconButton>
  );
}

/** The menu behind it loads when it is first opened. */
export function LanguageButton() {
  const { t } = useTranslation("shell");
  const [wasOpened, setWasOpened] = useState(false);
  const button = (
    <IconButton label={t("language")} aria-haspopup="menu" onClick={() => setWasOpened(true)}>
      <IconLanguage size={17} stroke={1.5} />
    </IconButton>
  );
  return wasOpened ? (
    <Suspense fallback={button}>
      <LanguageMenu label={t("language")} />
    </Suspense>
  ) : (
    button
  );
}
