/** What can be done with tokens from the list: one by its menu, many by selection. */
import { Button } from "@mantine/core";
import {
  IconCopy,
  IconEdit,
  IconExternalLink,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlugConnected,
  IconTrash,
} from "@tabler/icons-react";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { TOKEN_STATUS, type TokenRow } from "../../../../contract/src/features/tokens.ts";
import { chatLinks, usableChatLink } from "../../lib/chat-links.ts";
import { copyText } from "../../lib/clipboard.ts";
import { formatQuota } from "../../lib/format.ts";
import { useStatus } from "../../lib/status.ts";
import { confirm } from "../../ui/confirm.ts";
import type { RowAction } from "../../ui/row-actions.tsx";
import { closeJob, showJob, toast } from "../../ui/toast-store.ts";
import { fullKey } from "./fns/key.ts";
import { removeToken, saveStatus, useRefresh, useSetStatus } from "./queries.ts";

const glyph = { size: 15, stroke: 1.5 } as const;
const isEnabled = (token: TokenRow): boolean => token.status === TOKEN_STATUS.enabled;

/** Opens a chat application with this token in a new window. */
export function openChatWith(template: string, token: TokenRow, t: TFunction<"tokens">): void {
  const link = usableChatLink(template, token.key);
  if (link === undefined) {
    toast.error(new Error(t("chat.wrong")));
    return;
  }
  window.open(link, "_blank", "noopener");
}

/** Asks once, naming the token and what stays. */
const askToDelete = (token: TokenRow, t: TFunction<"tokens">): Promise<boolean> =>
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
    chatLinks(chats).map(({ name, template }, index) => ({
      label: t("chat.open", { name }),
      icon: <IconExternalLink {...glyph} />,
      isDivided: index === 0,
      isDisabled: !isEnabled(token),
      onPick: () => openChatWith(template, token, t),
    }));
}

/** The ⋯ menu of one token. */
export function useTokenMenu(open: (what: "edit" | "connect", id: number) => void): (token: TokenRow) => RowAction[] {
  const { t } = useTranslation("tokens");
  const refresh = useRefresh();
  const chatItems = useChatItems();
  const setStatus = useSetStatus((error, token) =>
    toast.error(error, t(isEnabled(token) ? "notDisabled" : "notEnabled", { name: token.name })),
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
    setStatus.mutate({ token, status: isEnabled(token) ? TOKEN_STATUS.disabled : TOKEN_STATUS.enabled });
  return (token) => [
    { label: t("connect"), icon: <IconPlugConnected {...glyph} />, onPick: () => open("connect", token.id) },
    { label: t("copyKey"), icon: <IconCopy {...glyph} />, onPick: () => void copy(token) },
    { label: t("edit"), icon: <IconEdit {...glyph} />, onPick: () => open("edit", token.id) },
    isEnabled(token)
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

interface Batch {
  /** Key under `batch`: its title while it runs, and its results. */
  key: "enable" | "disable" | "delete";
  act: (token: TokenRow) => Promise<unknown>;
}

interface BatchResult {
  done: number;
  failed: number;
  lastError: unknown;
}

/** One after the other with a count, until done or stopped; a refused one does not hold up the rest. */
async function runBatch(tokens: readonly TokenRow[], batch: Batch, t: TFunction<"tokens">): Promise<BatchResult> {
  const result: BatchResult = { done: 0, failed: 0, lastError: undefined };
  let isStopped = false;
  let job: number | undefined;
  for (const token of tokens) {
    if (isStopped) break;
    job = showJob(
      {
        title: t(`batch.${batch.key}.running`),
        done: result.done + result.failed,
        total: tokens.length,
        onStop: () => (isStopped = true),
      },
      job,
    );
    try {
      await batch.act(token);
      result.done += 1;
    } catch (error) {
      result.failed += 1;
      result.lastError = error;
    }
  }
  if (job !== undefined) closeJob(job);
  return result;
}

/** Enable, disable, copy keys and delete for the selected tokens. */
export function useBatchBar(): (tokens: readonly TokenRow[], clear: () => void) => React.ReactNode {
  const { t } = useTranslation("tokens");
  const refresh = useRefresh();
  const run = async (tokens: readonly TokenRow[], clear: () => void, batch: Batch) => {
    clear();
    const { done, failed, lastError } = await runBatch(tokens, batch, t);
    await refresh();
    if (done > 0) toast.success(t(`batch.${batch.key}.done`, { count: done }));
    if (failed > 0) toast.error(lastError, t(`batch.${batch.key}.failed`, { count: failed }));
  };
  const setAll = (tokens: readonly TokenRow[], clear: () => void, key: "enable" | "disable") => {
    const status = key === "enable" ? TOKEN_STATUS.enabled : TOKEN_STATUS.disabled;
    void run(
      tokens.filter((token) => token.status !== status),
      clear,
      { key, act: (token) => saveStatus(token.id, status) },
    );
  };
  const removeAll = async (tokens: readonly TokenRow[], clear: () => void) => {
    const [only] = tokens;
    const isSure = only && tokens.length === 1 ? await askToDelete(only, t) : await confirm(batchQuestion(tokens, t));
    if (isSure) await run(tokens, clear, { key: "delete", act: (token) => removeToken(token.id) });
  };
  const copyAll = async (tokens: readonly TokenRow[]) => {
    if (await copyText(tokens.map((token) => fullKey(token.key)).join("\n")))
      toast.success(t("keysCopied", { count: tokens.length }));
  };
  return (tokens, clear) => (
    <>
      <Button onClick={() => setAll(tokens, clear, "enable")}>{t("enable")}</Button>
      <Button onClick={() => setAll(tokens, clear, "disable")}>{t("disable")}</Button>
      <Button leftSection={<IconCopy {...glyph} />} onClick={() => void copyAll(tokens)}>
        {t("copyKeys")}
      </Button>
      <Button
        data-tone="danger"
        leftSection={<IconTrash {...glyph} />}
        style={{ marginInlineStart: "auto" }}
        onClick={() => void removeAll(tokens, clear)}
      >
        {t("delete.word")}
      </Button>
    </>
  );
}

const NAMED = 5;

function batchQuestion(tokens: readonly TokenRow[], t: TFunction<"tokens">) {
  const names = tokens.slice(0, NAMED).map((token) => token.name);
  const separator = t("listSeparator");
  const rest = tokens.length - names.length;
  const named = rest > 0 ? t("namesAndMore", { names: names.join(separator), count: rest }) : names.join(separator);
  return {
    title: t("batch.delete.title", { count: tokens.length }),
    text: t("batch.delete.text", { names: named }),
    action: t("batch.delete.action", { count: tokens.length }),
    keep: t("batch.delete.keep"),
  };
}
