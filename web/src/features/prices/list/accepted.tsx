/** What was accepted of fetched lists, by whom and when, and the way back. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { undoPriceList } from "../../../../../contract/src/features/prices.ts";
import type { AcceptedChange } from "../../../../../contract/src/pricing/list-lines.ts";
import { call } from "../../../lib/api.ts";
import { formatNumber } from "../../../lib/format.ts";
import { visible } from "../../../lib/names.ts";
import { BusyButton } from "../../../ui/busy-button.tsx";
import { Tag } from "../../../ui/display/tags.tsx";
import { Time } from "../../../ui/display/time.tsx";
import { toast } from "../../../ui/feedback/toast-store.ts";
import { refreshPrices } from "./queries.ts";
import styles from "./list.module.css";

function useUndo() {
  const { t } = useTranslation("prices");
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: number) => call(undoPriceList, { params: { id } }),
    onSuccess: () => toast.success(t("list.accepted.undone")),
    onSettled: () => refreshPrices(client),
  });
}

const NAMED = 4;

function Names({ change }: { change: AcceptedChange }) {
  const { t } = useTranslation("prices");
  const named = change.lines.slice(0, NAMED).map(({ id }) => visible(id));
  const rest = change.count - named.length;
  return (
    <span className={styles.models}>
      {named.join(", ")}
      {rest > 0 && ` ${t("list.accepted.rest", { count: rest, formatted: formatNumber(rest) })}`}
    </span>
  );
}

function Entry({ change }: { change: AcceptedChange }) {
  const { t } = useTranslation("prices");
  const undo = useUndo();
  const isUndone = change.undone_time > 0;
  return (
    <li className={styles.entry} data-is-undone={isUndone || undefined}>
      <div className={styles.what}>
        <span className={styles.name}>
          <b>{t("list.accepted.count", { count: change.count, formatted: formatNumber(change.count) })}</b>
          {isUndone && <Tag>{t("list.accepted.isUndone")}</Tag>}
          {!isUndone && change.is_older && (
            <span title={t("list.accepted.olderHint")}>
              <Tag tone="amber">{t("list.accepted.older")}</Tag>
            </span>
          )}
        </span>
        <Names change={change} />
        <span className={styles.by}>
          {change.created_by === null ? t("list.accepted.gone") : visible(change.created_by)} ·{" "}
          <Time atS={change.created_time} as="full" /> · <span className="mono">{change.source}</span>
        </span>
        {isUndone && (
          <span className={styles.by}>
            {change.undone_by === null
              ? t("list.accepted.isUndone")
              : t("list.accepted.undoneBy", { user: visible(change.undone_by) })}{" "}
            · <Time atS={change.undone_time} as="full" />
          </span>
        )}
      </div>
      {!isUndone && (
        <BusyButton
          isBusy={undo.isPending}
          aria-label={t("list.accepted.undoOf", { id: change.id })}
          onClick={() => undo.mutate(change.id)}
        >
          {t("list.accepted.undo")}
        </BusyButton>
      )}
    </li>
  );
}

export function Accepted({ changes }: { changes: readonly AcceptedChange[] }) {
  const { t } = useTranslation("prices");
  return (
    <section className={styles.part2} aria-label={t("list.accepted.title")}>
      <h3>{t("list.accepted.title")}</h3>
      {changes.length === 0 ? (
        <p className={styles.none}>{t("list.accepted.none")}</p>
      ) : (
        <ul className={styles.entries}>
          {changes.map((change) => (
            <Entry key={change.id} change={change} />
          ))}
        </ul>
      )}
    </section>
  );
}
