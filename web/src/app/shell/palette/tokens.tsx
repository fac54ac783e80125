/** Tokens in the command palette: found by name, connecting an app, copying the key, and creating one with the typed name. */
import { IconCopy, IconKey, IconPlugConnected, IconPlus } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { searchTokens, TOKEN_STATUS, type TokenRow } from "../../../../../contract/src/features/tokens.ts";
import { call } from "../../../lib/api.ts";
import { formatQuota } from "../../../lib/format.ts";
import { copyText } from "../../../lib/clipboard.ts";
import { toast } from "../../../ui/feedback/toast-store.ts";
import type { PaletteItem } from "./item.ts";
import { MAX_FOUND, useLookups } from "./lookups.ts";
import { isMeant, lookupsOf, matches, wantedOf } from "./matching.ts";

const glyph = { size: 16, stroke: 1.5 } as const;

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
    detail: <span className="mono">{shortKey(token.key)}</span>,
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
      run: () => go(`/token?open=connect&id=${token.id}`),
    },
    {
      id: `copy-key-${token.id}`,
      name: t("palette:copyKey", { name: token.name }),
      icon: <IconCopy {...glyph} />,
      run: () => void copyKey(token),
    },
  ];
  return { open, actions };
}

export interface TokenItems {
  found: PaletteItem[];
  actions: PaletteItem[];
  /** Creates a token with the typed name; listed last, because it is rarely meant. */
  create: PaletteItem[];
}

export function useTokenEntries(text: string, go: (address: string) => void): TokenItems {
  const { t } = useTranslation(["shell", "palette"]);
  const wanted = wantedOf(text, [t("palette:connect", { name: "" }), t("palette:copyKey", { name: "" })]);
  const tokens = useLookups(lookupsOf(wanted), {
    queryKey: ["palette", "tokens"],
    search: (keyword, signal) => call(searchTokens, { query: { keyword, page_size: MAX_FOUND }, signal }),
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
