/** Theme and language, in the top bar and in the phone's menu. */
import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import { IconLanguage, IconMoon, IconSun } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";

const LanguageMenu = lazy(async () => ({ default: (await import("./language-menu.tsx")).LanguageMenu }));

/** The scheme shown, and the switch to the other; stored under 'theme-mode'. */
export function useTheme(): { scheme: "light" | "dark"; toggle: () => void } {
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme("light", { getInitialValueInEffect: false });
  return { scheme, toggle: () => setColorScheme(scheme === "dark" ? "light" : "dark") };
}

export function ThemeButton() {
  const { t } = useTranslation("shell");
  const { scheme, toggle } = useTheme();
  const Icon = scheme === "dark" ? IconMoon : IconSun;
  return (
    <ActionIcon variant="subtle" size={32} onClick={toggle} aria-label={t(scheme === "dark" ? "theme.toLight" : "theme.toDark")} title={t(scheme === "dark" ? "theme.toLight" : "theme.toDark")}>
      <Icon size={17} stroke={1.5} />
    </ActionIcon>
  );
}

/** The menu behind it loads when it is first opened. */
export function LanguageButton() {
  const { t } = useTranslation("shell");
  const [wasOpened, setWasOpened] = useState(false);
  const button = (
    <ActionIcon variant="subtle" size={32} aria-label={t("language")} title={t("language")} aria-haspopup="menu" onClick={() => setWasOpened(true)}>
      <IconLanguage size={17} stroke={1.5} />
    </ActionIcon>
  );
  return wasOpened ? (
    <Suspense fallback={button}>
      <LanguageMenu label={t("language")} />
    </Suspense>
  ) : (
    button
  );
}
