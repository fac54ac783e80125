/** The sections of the command palette for a typed text: the call of a pasted id, tokens, channels, users, models, settings, pages and actions. */
import {
  IconListDetails,
  IconUser,
  IconCopy,
  IconKey,
  IconPlugConnected,
  IconPlus,
  IconReceipt,
  IconArrowsSplit2,
  IconEraser,
  IconKeyboard,
  IconLanguage,
  IconLogout,
  IconSunMoon,
  IconTicket,
  IconUserPlus,
} from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { mayOf, useMay, useViewer } from "../../../lib/viewer.ts";
import { useChannelSection, useRunItems } from "./channels.tsx";
import { type PaletteSection, type PaletteItem, type Go, glyph, MAX_FOUND, useLookups } from "./item.ts";
import { beginsWordOf, matches, requestIdIn, isMeant, lookupsOf, wantedOf } from "./matching.ts";
import { searchUsers, type ManagedUser } from "../../../../../contract/src/features/users.ts";
import { call } from "../../../lib/api.ts";
import { formatQuota } from "../../../lib/format.ts";
import { isMatch, shownPrice } from "../../../features/pricing/model/price-list.ts";
import { pricingQuery } from "../../../features/pricing/queries.ts";
import { useStatus } from "../../../lib/status.ts";
import { ModelMark } from "../../../ui/display/provider-mark.tsx";
import { usePages } from "./pages.tsx";
import { useSettingSection } from "./settings.tsx";
import { useStillOrder } from "./still-order.ts";
import { searchTokens, TOKEN_STATUS, type TokenRow } from "../../../../../contract/src/features/tokens.ts";
import { copyText } from "../../../lib/clipboard.ts";
import type { Act } from "../../../../../contract/src/permissions.ts";
import { toast } from "../../../ui/feedback/toast-store.ts";
import { language, useTranslation } from "../../../lib/i18n.ts";
import { chooseLanguage } from "../choose-language.ts";
import { useScheme } from "../../../lib/scheme.ts";
import { logOut } from "../session.ts";
import { openShortcutSheet } from "../shortcuts.tsx";

function useAdministratorActions(go: Go): PaletteItem[] {
  const { t } = useTranslation(["shell", "palette"]);
  const runs = useRunItems(go);
  const viewer = useViewer();
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
  const permitted = (act: Act, ...items: readonly PaletteItem[]) => (mayOf(viewer, act) ? items : []);
  return [
    ...permitted("channels_write", channel),
    ...permitted("users", user),
    ...permitted("money", codes),
    ...permitted("channels_operate", ...runs),
    ...permitted("logs", clearLog),
  ];
}

/** Actions of the command palette that need no object: creating, cleaning up, changing theme and language, logging out. */
function useActionSection(go: Go): PaletteSection {
  const { t } = useTranslation(["shell", "palette"]);
  const theme = useScheme();
  const items = [
    {
      id: "create-token",
      name: t("palette:createToken"),
      icon: <IconPlus {...glyph} />,
      run: () => go("/token?open=create"),
    },
    {
      id: "statement",
      name: t("palette:statement"),
      icon: <IconReceipt {...glyph} />,
      run: () => go("/topup/statement"),
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

/** Of one that came from another gateway there may be nothing but a hash. */
const isKeyKnown = ({ key }: TokenRow): boolean => key !== "";

const shortKey = (key: string): string => `sk-${key.slice(0, 4)}…${key.slice(-4)}`;

function useTokenSide(): (token: TokenRow) => ReactNode {
  const { t } = useTranslation(["shell", "palette"]);
  return (token) => {
    if (token.status !== TOKEN_STATUS.enabled) return t("palette:notEnabled");
    return token.unlimited_quota
      ? t("palette:unlimited")
      : t("palette:left", { amount: formatQuota(token.remain_quota) });
  };
}

/** The item of a token, and its actions. */
function useTokenItems(go: (address: string) => void) {
  const { t } = useTranslation(["shell", "palette"]);
  const side = useTokenSide();
  const open = (token: TokenRow): PaletteItem => ({
    id: `token-${token.id}`,
    name: token.name,
    icon: <IconKey {...glyph} />,
    detail: isKeyKnown(token) ? <span className="mono">{shortKey(token.key)}</span> : t("palette:keyUnknown"),
    side: side(token),
    run: () => go(`/token?open=edit&id=${token.id}`),
  });
  const copyKey = async ({ name, key }: TokenRow) => {
    if (await copyText(`sk-${key}`)) toast.success(t("palette:keyCopied", { name }));
  };
  const actions = (token: TokenRow): PaletteItem[] => [
    {
      id: `connect-${token.id}`,
      name: t("palette:connect", { name: token.name }),
      icon: <IconPlugConnected {...glyph} />,
      run: () => go(`/connect?token=${token.id}`),
    },
    ...(isKeyKnown(token)
      ? [
          {
            id: `copy-key-${token.id}`,
            name: t("palette:copyKey", { name: token.name }),
            icon: <IconCopy {...glyph} />,
            run: () => void copyKey(token),
          },
        ]
      : []),
  ];
  return { open, actions };
}

interface TokenItems {
  found: PaletteItem[];
  actions: PaletteItem[];
  /** Creates a token with the typed name; listed last, because it is rarely meant. */
  create: PaletteItem[];
}

/** Tokens in the command palette: found by name, connecting an app, copying the key, and creating one with the typed name. */
function useTokenEntries(text: string, go: (address: string) => void): TokenItems {
  const { t } = useTranslation(["shell", "palette"]);
  const wanted = wantedOf(text, [t("palette:connect", { name: "" }), t("palette:copyKey", { name: "" })]);
  const tokens = useLookups(lookupsOf(wanted), {
    queryKey: ["palette", "tokens"],
    search: async (keyword, signal) =>
      (await call(searchTokens, { query: { keyword, page_size: MAX_FOUND }, signal })).items,
    isAllowed: true,
  });
  const items = useTokenItems(go);
  const isActionWanted = wanted.object !== "";
  const actions = (isActionWanted ? tokens : tokens.slice(0, 1)).flatMap(items.actions);
  const create = {
    id: "create-named",
    name: t("palette:createNamed", { name: text }),
    icon: <IconPlus {...glyph} />,
    wantsChoice: true,
    run: () => go(`/token?open=create&name=${encodeURIComponent(text)}`),
  };
  return {
    found: tokens.filter(({ name }) => !isActionWanted || matches(name, text)).map(items.open),
    actions: isActionWanted ? actions.filter(({ name }) => isMeant(name, wanted)) : actions,
    create: text === "" ? [] : [create],
  };
}

const MAX_MODELS = 5;
/** Models whose names fit, at the price of the viewer's own group; and the usage log of the first of them. */
function useModelSection(text: string, go: Go): PaletteSection {
  const { t } = useTranslation(["shell", "palette"]);
  const viewer = useViewer();
  const { quota_per_unit, self_use_mode_enabled } = useStatus();
  const { data } = useQuery({ ...pricingQuery(viewer?.id), enabled: text !== "" });
  const group = viewer?.group ?? "";
  const view = {
    group,
    groupRatio: data?.groupRatio[group] ?? 1,
    quotaPerUnit: quota_per_unit,
    chargesUnpriced: self_use_mode_enabled,
  };
  const found =
    text === "" ? [] : (data?.entries ?? []).filter((entry) => isMatch(entry.model_name, text)).slice(0, MAX_MODELS);
  const side = (entry: (typeof found)[number]): ReactNode => {
    const price = shownPrice(entry, view);
    if (price.kind === "none") return undefined;
    return price.kind === "call" ? `$${price.call}` : `$${price.input} / $${price.output}`;
  };
  const models = found.map((entry): PaletteItem => ({
    id: `model-${entry.model_name}`,
    name: entry.model_name,
    isCode: true,
    icon: <ModelMark model={entry.model_name} size={20} />,
    detail: t("nav.pricing"),
    side: side(entry),
    run: () => go(`/models/${encodeURIComponent(entry.model_name)}`),
  }));
  const [first] = found;
  const log = first && {
    id: "log-of-model",
    name: t("palette:logOf", { model: first.model_name }),
    icon: <IconListDetails {...glyph} />,
    run: () => go(`/log?model_name=${encodeURIComponent(first.model_name)}`),
  };
  return { id: "models", title: t("palette:models"), items: log === undefined ? models : [...models, log] };
}

function useFoundPeople(text: string): ManagedUser[] {
  const maySee = useMay(["users", "money"]);
  const query = useQuery({
    queryKey: ["palette", "users", text],
    queryFn: ({ signal }) => call(searchUsers, { query: { keyword: text, page_size: MAX_FOUND }, signal }),
    enabled: text !== "" && maySee,
  });
  return query.data?.items ?? [];
}

/** People found by id, name or e-mail, with their remaining quota. */
function usePeopleSection(text: string, go: (address: string) => void): PaletteSection {
  const { t } = useTranslation(["shell", "palette"]);
  const viewer = useViewer();
  // People of the own role and above have no page for the viewer; their calls may be read.
  const placeOf = ({ id, role, username }: ManagedUser): string =>
    role < (viewer?.role ?? 0) ? `/user/${id}` : `/log?username=${encodeURIComponent(username)}`;
  const items = useFoundPeople(text).map((person): PaletteItem => ({
    id: `user-${person.id}`,
    name: person.username,
    icon: <IconUser size={16} stroke={1.5} />,
    detail: person.display_name === person.username ? `#${person.id}` : person.display_name,
    side:
      person.DeletedAt === null ? t("palette:left", { amount: formatQuota(person.quota) }) : t("palette:deregistered"),
    run: () => go(placeOf(person)),
  }));
  return { id: "users", title: t("palette:users"), items };
}

/** Goes to an address of this console; its features read what follows the question mark. */
function useGo(): Go {
  const navigate = useNavigate();
  return (address) => void navigate({ href: address });
}

/** A pasted request id leads to its entry in the log. */
function useCallSection(typed: string, go: Go): PaletteSection {
  const { t } = useTranslation(["shell", "palette"]);
  const id = requestIdIn(typed);
  const open = {
    id: "request",
    name: t("palette:openCall"),
    icon: <IconListDetails {...glyph} />,
    detail: <span className="mono">{id}</span>,
    run: () => go(`/log?request_id=${id ?? ""}`),
  };
  return { id: "calls", title: t("entries.logs"), items: id === undefined ? [] : [open] };
}

/** The items that the text fits by name, then those by their other words. */
function fitting(items: readonly PaletteItem[], text: string): PaletteItem[] {
  const byName = items.filter(({ name }) => matches(name, text));
  const byWords = items.filter(({ name, words = "" }) => !matches(name, text) && matches(`${name}\n${words}`, text));
  return [...byName, ...byWords];
}

const matching = (section: PaletteSection, text: string): PaletteSection => ({
  ...section,
  items: text === "" ? section.items.filter(({ isFoundOnly }) => isFoundOnly !== true) : fitting(section.items, text),
});

/** Whether the text is the beginning of a word of the section's names: a user who types "chan" and Enter means the page. */
const isNamedIn = (section: PaletteSection, text: string): boolean =>
  text !== "" && section.items.some(({ name }) => beginsWordOf(name, text));

/** All sections that search by name. */
function useFound(text: string, go: Go): { sections: PaletteSection[]; create: PaletteSection["items"] } {
  const { t } = useTranslation(["shell", "palette"]);
  const { found, actions, create } = useTokenEntries(text, go);
  const tokens = { id: "tokens", title: t("entries.tokens"), items: [...found, ...actions] };
  return {
    sections: [
      tokens,
      useChannelSection(text, go),
      usePeopleSection(text, go),
      useModelSection(text, go),
      useSettingSection(text, go),
    ],
    create,
  };
}

/**
 * The sections for what was typed; pages and actions without it. `searched` follows `typed` after a pause, so until then
 * what was found for the text before is kept only where it fits the new one: Enter never picks what is not meant.
 */
export function usePaletteSections(typed: string, searched: string): readonly PaletteSection[] {
  const { t } = useTranslation(["shell", "palette"]);
  const go = useGo();
  const calls = useCallSection(typed, go);
  const { sections, create } = useFound(searched, go);
  const found = sections.map((section) => (typed === searched ? section : matching(section, typed)));
  const pages = matching(usePages(go), typed);
  const actions = matching(useActionSection(go), typed);
  const ordered = isNamedIn(pages, typed) ? [pages, ...found, actions] : [...found, pages, actions];
  // A pasted id is not a name for a token.
  const offered = typed === searched && calls.items.length === 0 ? create : [];
  const last = { id: "create", title: t("palette:create"), items: offered };
  const present = [calls, ...ordered, last].filter((section) => section.items.length > 0);
  return useStillOrder(present, typed);
}
