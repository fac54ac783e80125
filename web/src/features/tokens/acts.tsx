/** The actions of a token's row, in its menu. */
import {
  IconCopy,
  IconEdit,
  IconExternalLink,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlugConnected,
  IconTrash,
} from "@tabler/icons-react";
import { type TFunction, useTranslation } from "../../lib/i18n.ts";
import { TOKEN_STATUS, type TokenRow } from "../../../../contract/src/features/tokens.ts";
import { useNavigate } from "@tanstack/react-router";
import { chatLinks, offeredLinks } from "../../lib/chat-links.ts";
import { copyText } from "../../lib/clipboard.ts";
import { formatQuota } from "../../lib/format.ts";
import { useStatus } from "../../lib/status.ts";
import { confirm } from "../../ui/feedback/confirm.ts";
import type { RowAction } from "../../ui/data-table/row-actions.tsx";
import { toast } from "../../ui/feedback/toast-store.ts";
import { openChatWith } from "./hand-over.ts";
import { fullKey, isKeyKnown } from "./model/key.ts";
import { removeToken, useRefresh, useSetStatus } from "./queries.ts";

const glyph = { size: 15, stroke: 1.5 } as const;
/** Expired and used up ones too: enabling them is refused until their expiry or quota is edited. */
const canBeDisabled = (token: TokenRow): boolean => token.status !== TOKEN_STATUS.disabled;
const isEnabled = (token: TokenRow): boolean => token.status === TOKEN_STATUS.enabled;

/** Asks once, naming the token and what stays. */
export const askToDelete = (token: TokenRow, t: TFunction): Promise<boolean> =>
  confirm({
    title: t("delete.title", { name: token.name }),
    text: t("delete.text", { spent: formatQuota(token.used_quota) }),
    action: t("delete.action"),
    keep: t("delete.keep"),
  });

function useChatItems() {
  const { t } = useTranslation("tokens");
  const { chats } = useStatus();
  return (token: TokenRow): RowAction[] =>
    offeredLinks(chatLinks(chats)).map(({ name, template }, index) => ({
      label: t("chat.open", { name }),
      icon: <IconExternalLink {...glyph} />,
      isDivided: index === 0,
      isDisabled: !isEnabled(token) || !isKeyKnown(token),
      onPick: () => void openChatWith(template, token, t),
    }));
}

/** Leads to the page that connects a program with the token of this id. */
export function useConnect(): (id: number) => void {
  const navigate = useNavigate();
  return (id) => void navigate({ to: "/connect", search: { token: id } });
}

/** The ⋯ menu of one token. */
export function useTokenMenu(edit: (id: number) => void): (token: TokenRow) => RowAction[] {
  const { t } = useTranslation("tokens");
  const connect = useConnect();
  const refresh = useRefresh();
  const chatItems = useChatItems();
  const setStatus = useSetStatus((error, token) =>
    toast.error(error, t(canBeDisabled(token) ? "notDisabled" : "notEnabled", { name: token.name })),
  );
  const remove = async (token: TokenRow) => {
    if (!(await askToDelete(token, t))) return;
    try {
      await removeToken(token.id);
      toast.success(t("deleted", { name: token.name }));
    } catch (error) {
      toast.error(error, t("notDeleted", { name: token.name }));
    }
    await refresh();
  };
  const copy = async (token: TokenRow) => {
    if (await copyText(fullKey(token.key))) toast.success(t("keyCopied"), token.name);
  };
  const toggle = (token: TokenRow) =>
    setStatus.mutate({ token, status: canBeDisabled(token) ? TOKEN_STATUS.disabled : TOKEN_STATUS.enabled });
  return (token) => [
    { label: t("connect"), icon: <IconPlugConnected {...glyph} />, onPick: () => connect(token.id), isFirst: true },
    {
      label: t(isKeyKnown(token) ? "copyKey" : "keyUnknown"),
      icon: <IconCopy {...glyph} />,
      isDisabled: !isKeyKnown(token),
      onPick: () => void copy(token),
    },
    { label: t("edit"), icon: <IconEdit {...glyph} />, onPick: () => edit(token.id) },
    canBeDisabled(token)
      ? { label: t("disable"), icon: <IconPlayerPause {...glyph} />, onPick: () => toggle(token) }
      : { label: t("enable"), icon: <IconPlayerPlay {...glyph} />, onPick: () => toggle(token) },
    ...chatItems(token),
    {
      label: t("delete.word"),
      icon: <IconTrash {...glyph} />,
      tone: "danger",
      isDivided: true,
      onPick: () => void remove(token),
    },
  ];
}
