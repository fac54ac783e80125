/** What can be done with many tokens: those selected on the page, or all that the filters match. */
import { IconCopy, IconTrash } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import type { TokenBatch, TokenBatchResult, TokenRow } from "../../../../contract/src/features/tokens.ts";
import { copyText } from "../../lib/clipboard.ts";
import { BusyButton } from "../../ui/busy-button.tsx";
import { type Selection, selectedCount } from "../../ui/data-table/selection.ts";
import { confirm, type Question } from "../../ui/feedback/confirm.ts";
import { toast } from "../../ui/feedback/toast-store.ts";
import { askToDelete } from "./acts.tsx";
import { fullKey } from "./model/key.ts";
import { batchFilter, matchingTokens, type TokenList, useBatch } from "./queries.ts";

const glyph = { size: 15, stroke: 1.5 } as const;

type Action = TokenBatch["action"];

/** As the table hands it over, with the list it stands in. */
interface Selected {
  rows: readonly TokenRow[];
  clear: () => void;
  selection: Selection;
  list: TokenList;
  /** How many tokens match the filters. */
  total: number;
}

/** What the server is sent. Where `total` is no longer what matches, it does nothing. */
function batchOf({ rows, selection, list, total }: Selected, action: Action): TokenBatch {
  if (!selection.allMatching) return { ids: rows.map(({ id }) => id), action };
  return { filter: batchFilter(list), total, excluded: [...selection.excluded].map(Number), action };
}

/** Tells how it ended: what was done, and what was refused and why. */
function tell({ done, refused }: TokenBatchResult, action: Action, t: TFunction<"tokens">): void {
  if (done > 0) toast.success(t(`batch.${action}.done`, { count: done }));
  else if (refused === 0) toast.info(t(`batch.${action}.none`));
  if (refused > 0) toast.info(t("batch.refused", { count: refused }), { text: t("batch.refusedText"), sticky: true });
}

const NAMED = 5;

/** What is asked before many are deleted: those of the page by their names. */
function manyQuestion({ rows, selection }: Selected, count: number, t: TFunction<"tokens">): Question {
  const names = rows.slice(0, NAMED).map((token) => token.name);
  const separator = t("listSeparator");
  const rest = count - names.length;
  const named = rest > 0 ? t("namesAndMore", { names: names.join(separator), count: rest }) : names.join(separator);
  return {
    title: t("batch.delete.title", { count }),
    text: selection.allMatching ? t("batch.delete.textMatching") : t("batch.delete.text", { names: named }),
    action: t("batch.delete.action", { count }),
    keep: t("batch.delete.keep"),
  };
}

/** Asks before the selected tokens are deleted, naming them. */
function useConfirmed(selected: Selected, count: number) {
  const { t } = useTranslation("tokens");
  const [only] = selected.rows;
  return () => (count === 1 && only ? askToDelete(only, t) : confirm(manyQuestion(selected, count, t)));
}

function useCopyKeys({ rows, selection, list }: Selected) {
  const { t } = useTranslation("tokens");
  return useMutation({
    meta: { showsOwnError: true },
    mutationFn: async () => {
      const tokens = selection.allMatching ? await matchingTokens(list, selection.excluded) : rows;
      if (await copyText(tokens.map((token) => fullKey(token.key)).join("\n")))
        toast.success(t("keysCopied", { count: tokens.length }));
    },
    onError: (error) => toast.error(error, t("notLoaded")),
  });
}

/** Enable, disable, copy keys and delete for the selected tokens. */
export function BatchActs(selected: Selected) {
  const { t } = useTranslation("tokens");
  const { selection, rows, total, clear } = selected;
  const count = selection.allMatching ? selectedCount(selection, total) : rows.length;
  const batch = useBatch();
  const copy = useCopyKeys(selected);
  const isSure = useConfirmed(selected, count);
  const run = (action: Action) =>
    batch.mutate(batchOf(selected, action), {
      onSuccess: (result) => {
        if (result.done > 0) clear();
        tell(result, action, t);
      },
    });
  const busy = (action: Action) => batch.isPending && batch.variables.action === action;
  if (count === 0) return null;
  return (
    <>
      <BusyButton isBusy={busy("enable")} onClick={() => run("enable")}>
        {t("enable")}
      </BusyButton>
      <BusyButton isBusy={busy("disable")} onClick={() => run("disable")}>
        {t("disable")}
      </BusyButton>
      <BusyButton leftSection={<IconCopy {...glyph} />} isBusy={copy.isPending} onClick={() => copy.mutate()}>
        {t("copyKeys")}
      </BusyButton>
      <BusyButton
        data-tone="danger"
        leftSection={<IconTrash {...glyph} />}
        style={{ marginInlineStart: "auto" }}
        isBusy={busy("delete")}
        onClick={() => void isSure().then((isMeant) => isMeant && run("delete"))}
      >
        {t("delete.word")}
      </BusyButton>
    </>
  );
}
