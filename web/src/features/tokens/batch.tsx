/** What can be done with many tokens: those selected on the page, or all that the filters match. */
import { Button } from "@mantine/core";
import { IconCopy, IconTrash } from "@tabler/icons-react";
import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { TOKEN_STATUS, type TokenRow } from "../../../../contract/src/features/tokens.ts";
import { copyText } from "../../lib/clipboard.ts";
import type { Selection } from "../../ui/data-table/selection.ts";
import { confirm } from "../../ui/feedback/confirm.ts";
import { closeJob, showJob, toast } from "../../ui/feedback/toast-store.ts";
import { askToDelete } from "./acts.tsx";
import { fullKey } from "./model/key.ts";
import { matchingTokens, removeToken, saveStatus, type TokenList, useRefresh } from "./queries.ts";

const glyph = { size: 15, stroke: 1.5 } as const;

type Bar = (tokens: readonly TokenRow[], clear: () => void, selection: Selection) => ReactNode;

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
export function useBatchBar(list: TokenList): Bar {
  const { t } = useTranslation("tokens");
  const refresh = useRefresh();
  const run = async (tokens: readonly TokenRow[], clear: () => void, batch: Batch) => {
    clear();
    const { done, failed, lastError } = await runBatch(tokens, batch, t);
    await refresh();
    if (done > 0) toast.success(t(`batch.${batch.key}.done`, { count: done }));
    if (failed > 0) toast.error(lastError, t(`batch.${batch.key}.failed`, { count: failed }));
  };
  const setAll = async (tokens: readonly TokenRow[], clear: () => void, key: "enable" | "disable") => {
    const status = key === "enable" ? TOKEN_STATUS.enabled : TOKEN_STATUS.disabled;
    const others = tokens.filter((token) => token.status !== status);
    if (others.length === 0) toast.info(t(`batch.${key}.none`));
    else await run(others, clear, { key, act: (token) => saveStatus(token.id, status) });
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
  return (rows, clear, selection) => {
    const withChosen = (act: (tokens: readonly TokenRow[]) => Promise<void>) => async () => {
      try {
        await act(selection.allMatching ? await matchingTokens(list, selection.excluded) : rows);
      } catch (error) {
        toast.error(error, t("notLoaded"));
      }
    };
    return (
      <Acts
        onEnable={withChosen((tokens) => setAll(tokens, clear, "enable"))}
        onDisable={withChosen((tokens) => setAll(tokens, clear, "disable"))}
        onCopy={withChosen(copyAll)}
        onDelete={withChosen((tokens) => removeAll(tokens, clear))}
      />
    );
  };
}

type Act = () => Promise<void>;

function Acts({
  onEnable,
  onDisable,
  onCopy,
  onDelete,
}: Record<"onEnable" | "onDisable" | "onCopy" | "onDelete", Act>) {
  const { t } = useTranslation("tokens");
  return (
    <>
      <Button onClick={() => void onEnable()}>{t("enable")}</Button>
      <Button onClick={() => void onDisable()}>{t("disable")}</Button>
      <Button leftSection={<IconCopy {...glyph} />} onClick={() => void onCopy()}>
        {t("copyKeys")}
      </Button>
      <Button
        data-tone="danger"
        leftSection={<IconTrash {...glyph} />}
        style={{ marginInlineStart: "auto" }}
        onClick={() => void onDelete()}
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
