/** What the command palette offers: pages, actions, and tokens, channels and people by name. */
import {
  IconArrowsSplit2,
  IconEraser,
  IconKey,
  IconLanguage,
  IconLogout,
  IconPlugConnected,
  IconPlus,
  IconSunMoon,
} from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { searchChannels } from "../../../../contract/src/features/channels.ts";
import { searchTokens, TOKEN_STATUS, type TokenRow } from "../../../../contract/src/features/tokens.ts";
import { call } from "../../lib/api.ts";
import { formatDurationMs, formatQuota } from "../../lib/format.ts";
import { language, setLanguage } from "../../lib/i18n.ts";
import { useScheme } from "../../lib/scheme.ts";
import { useIsAdmin } from "../../lib/viewer.ts";
import { ProviderMark } from "../../ui/provider-mark.tsx";
import { visibleGroups } from "./entries.tsx";
import { usePeopleSection } from "./palette-people.tsx";
import { useModelSection, useSitePages } from "./palette-site.tsx";
import { useTestAllItem, useTestItem } from "./palette-tests.tsx";
import { logOut } from "./session.ts";

export interface PaletteItem {
  id: string;
  name: string;
  /** Set in mono: a model's name. */
  isCode?: boolean;
  icon: ReactNode;
  detail?: ReactNode;
  side?: ReactNode;
  run: () => void;
}

export interface PaletteSection {
  id: string;
  title: string;
  items: PaletteItem[];
}

const MOST_FOUND = 5;
const glyph = { size: 16, stroke: 1.5 } as const;

/** Whether every word of the text is in the name, in any order. */
const matches = (name: string, text: string): boolean =>
  text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => name.toLowerCase().includes(word));

const shortKey = (key: string): string => `sk-${key.slice(0, 4)}…${key.slice(-4)}`;

function useFoundTokens(text: string): TokenRow[] {
  const query = useQuery({
    queryKey: ["palette", "tokens", text],
    queryFn: ({ signal }) => call(searchTokens, { query: { keyword: text, page_size: MOST_FOUND }, signal }),
    enabled: text !== "",
  });
  return (query.data ?? []).slice(0, MOST_FOUND);
}

function useFoundChannels(text: string) {
  const isAdmin = useIsAdmin();
  const query = useQuery({
    queryKey: ["palette", "channels", text],
    queryFn: ({ signal }) => call(searchChannels, { query: { keyword: text }, signal }),
    enabled: text !== "" && isAdmin,
  });
  return (query.data ?? []).slice(0, MOST_FOUND);
}

/** Goes to an address of this console; its features read what follows the question mark. */
function useGo(): (address: string) => void {
  const navigate = useNavigate();
  return (address) => void navigate({ href: address });
}

/** Tokens by name, and what can be done with the first of them or with the name itself. */
function useTokenSections(text: string): { tokens: PaletteSection; acts: PaletteSection } {
  const { t } = useTranslation("shell");
  const go = useGo();
  const tokens = useFoundTokens(text);
  const side = (token: TokenRow): ReactNode => {
    if (token.status !== TOKEN_STATUS.enabled) return t("palette.notEnabled");
    return token.unlimited_quota
      ? t("palette.unlimited")
      : t("palette.left", { amount: formatQuota(token.remain_quota) });
  };
  const found = tokens.map((token) => ({
    id: `token-${token.id}`,
    name: token.name,
    icon: <IconKey {...glyph} />,
    detail: <span className="mono">{shortKey(token.key)}</span>,
    side: side(token),
    run: () => go(`/token?open=edit&id=${token.id}`),
  }));
  const [first] = tokens;
  const connect =
    first === undefined
      ? []
      : [
          {
            id: "connect",
            name: t("palette.connect", { name: first.name }),
            icon: <IconPlugConnected {...glyph} />,
            run: () => go(`/token?open=connect&id=${first.id}`),
          },
        ];
  const create = {
    id: "create-named",
    name: t("palette.createNamed", { name: text }),
    icon: <IconPlus {...glyph} />,
    run: () => go(`/token?open=create&name=${encodeURIComponent(text)}`),
  };
  return {
    tokens: { id: "tokens", title: t("entries.tokens"), items: found },
    acts: { id: "token-actions", title: t("palette.actions"), items: text === "" ? [] : [...connect, create] },
  };
}

/** Channels by name, and the test of the first of them. */
function useChannelSection(text: string): PaletteSection {
  const { t } = useTranslation("shell");
  const go = useGo();
  const found = useFoundChannels(text);
  const test = useTestItem(found[0]);
  const items = found.map((channel) => ({
    id: `channel-${channel.id}`,
    name: channel.name,
    icon: <ProviderMark type={channel.type} />,
    detail: `#${channel.id}`,
    side: channel.response_time > 0 && formatDurationMs(channel.response_time),
    run: () => go(`/channel/edit/${channel.id}`),
  }));
  return { id: "channels", title: t("entries.channels"), items: [...items, ...test] };
}

function usePages(): PaletteSection {
  const { t } = useTranslation("shell");
  const go = useGo();
  const isAdmin = useIsAdmin();
  const items = visibleGroups(isAdmin).flatMap((group) =>
    group.entries.map((entry) => ({
      id: `page-${entry.id}`,
      name: t(`entries.${entry.id}`),
      icon: <entry.icon {...glyph} />,
      run: () => go(entry.to),
    })),
  );
  return { id: "pages", title: t("palette.pages"), items: [...items, ...useSitePages(go)] };
}

function useActions(): PaletteSection {
  const { t } = useTranslation("shell");
  const go = useGo();
  const isAdmin = useIsAdmin();
  const theme = useScheme();
  const channel = {
    id: "create-channel",
    name: t("palette.createChannel"),
    icon: <IconArrowsSplit2 {...glyph} />,
    run: () => go("/channel/add"),
  };
  const testAll = useTestAllItem(go);
  const clearLog = {
    id: "clear-log",
    name: t("palette.clearLog"),
    icon: <IconEraser {...glyph} />,
    run: () => go("/log?open=clear"),
  };
  const items = [
    {
      id: "create-token",
      name: t("palette.createToken"),
      icon: <IconPlus {...glyph} />,
      run: () => go("/token?open=create"),
    },
    ...(isAdmin ? [channel, testAll, clearLog] : []),
    {
      id: "theme",
      name: t(theme.scheme === "dark" ? "theme.toLight" : "theme.toDark"),
      icon: <IconSunMoon {...glyph} />,
      run: theme.toggle,
    },
    {
      id: "language",
      name: t("palette.otherLanguage"),
      icon: <IconLanguage {...glyph} />,
      run: () => void setLanguage(language() === "zh" ? "en" : "zh"),
    },
    { id: "logout", name: t("logOut"), icon: <IconLogout {...glyph} />, run: () => void logOut() },
  ];
  return { id: "actions", title: t("palette.actions"), items };
}

const matching = (section: PaletteSection, text: string): PaletteSection => ({
  ...section,
  items: text === "" ? section.items : section.items.filter((item) => matches(item.name, text)),
});

/** Whether the text is the beginning of one of the section's names: whoever types "chan" and Enter means the page. */
const isNamedIn = (section: PaletteSection, text: string): boolean =>
  text !== "" && section.items.some(({ name }) => name.toLowerCase().startsWith(text.toLowerCase()));

/**
 * The sections for what was typed; pages and actions without it. `searched` follows `typed` after a pause, so until then
 * what was found for the text before is kept only where it fits the new one: Enter never picks what is not meant.
 */
export function usePaletteSections(typed: string, searched: string): PaletteSection[] {
  const go = useGo();
  const { tokens, acts } = useTokenSections(searched);
  const people = usePeopleSection(searched, go);
  const others = [useChannelSection(searched), people, useModelSection(searched, go)];
  // Where no token has the name, making one is the last thing meant: what was found stands before it.
  const isTokenMeant = tokens.items.length > 0;
  const found = isTokenMeant ? [tokens, acts, ...others] : others;
  const fit = (section: PaletteSection): PaletteSection => (typed === searched ? section : matching(section, typed));
  const fitting = found.map(fit);
  const pages = matching(usePages(), typed);
  const known = matching(useActions(), typed);
  const actions = isTokenMeant ? known : { ...known, items: [...known.items, ...fit(acts).items] };
  const sections = isNamedIn(pages, typed) ? [pages, ...fitting, actions] : [...fitting, pages, actions];
  return sections.filter((section) => section.items.length > 0);
}
