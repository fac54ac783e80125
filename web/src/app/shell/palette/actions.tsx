/** Actions of the command palette that need no object: creating, cleaning up, changing theme and language, logging out. */
import {
  IconArrowsSplit2,
  IconEraser,
  IconKeyboard,
  IconLanguage,
  IconLogout,
  IconPlus,
  IconSunMoon,
  IconTicket,
  IconUserPlus,
} from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { language } from "../../../lib/i18n.ts";
import { chooseLanguage } from "../choose-language.ts";
import { useScheme } from "../../../lib/scheme.ts";
import { useIsAdmin } from "../../../lib/viewer.ts";
import { logOut } from "../session.ts";
import { openShortcutSheet } from "../shortcuts.tsx";
import { useRunItems } from "./channels.tsx";
import { type PaletteItem, type PaletteSection, type Go, glyph } from "./item.ts";

function useAdministratorActions(go: Go): PaletteItem[] {
  const { t } = useTranslation(["shell", "palette"]);
  const runs = useRunItems(go);
  const isAdmin = useIsAdmin();
  if (!isAdmin) return [];
  const channel = {
    id: "create-channel",
    name: t("palette:createChannel"),
    icon: <IconArrowsSplit2 {...glyph} />,
    run: () => go("/channel/add"),
  };
  const user = {
    id: "add-user",
    name: t("palette:addUser"),
    icon: <IconUserPlus {...glyph} />,
    run: () => go("/user/add"),
  };
  const codes = {
    id: "create-codes",
    name: t("palette:createCodes"),
    icon: <IconTicket {...glyph} />,
    run: () => go("/redemption?open=create"),
  };
  const clearLog = {
    id: "clear-log",
    name: t("palette:clearLog"),
    icon: <IconEraser {...glyph} />,
    run: () => go("/log?open=clear"),
  };
  return [channel, user, codes, ...runs, clearLog];
}

export function useActionSection(go: Go): PaletteSection {
  const { t } = useTranslation(["shell", "palette"]);
  const theme = useScheme();
  const items = [
    {
      id: "create-token",
      name: t("palette:createToken"),
      icon: <IconPlus {...glyph} />,
      run: () => go("/token?open=create"),
    },
    ...useAdministratorActions(go),
    {
      id: "theme",
      name: t(theme.scheme === "dark" ? "theme.toLight" : "theme.toDark"),
      icon: <IconSunMoon {...glyph} />,
      run: theme.toggle,
    },
    {
      id: "language",
      name: t("palette:otherLanguage"),
      icon: <IconLanguage {...glyph} />,
      run: () => void chooseLanguage(language() === "zh" ? "en" : "zh"),
    },
    { id: "shortcuts", name: t("shortcuts.sheet"), icon: <IconKeyboard {...glyph} />, run: openShortcutSheet },
    { id: "logout", name: t("logOut"), icon: <IconLogout {...glyph} />, run: () => void logOut() },
  ];
  return { id: "actions", title: t("palette:actions"), items };
}
