/** A fetched price list as a difference to the one in force: search, check boxes, and the button that accepts. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Checkbox, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import type { DataOf } from "../../../../../contract/src/endpoint.ts";
import { acceptPriceList, type fetchPriceList } from "../../../../../contract/src/features/prices.ts";
import type { FetchedLine } from "../../../../../contract/src/pricing/list-lines.ts";
import { call } from "../../../lib/api.ts";
import { formatNumber } from "../../../lib/format.ts";
import { BusyButton } from "../../../ui/busy-button.tsx";
import { Notice } from "../../../ui/feedback/notice.tsx";
import { toast } from "../../../ui/feedback/toast-store.ts";
import { Segmented } from "../../../ui/form/fields.tsx";
import { LineTable } from "./line-table.tsx";
import { countsOf, findLines, firstChosen, keyOf, LINE_FILTERS, type LineFilter } from "./lines.ts";
import { refreshPrices } from "./queries.ts";
import styles from "./list.module.css";

export type Fetched = DataOf<typeof fetchPriceList>;

function useAccept({ source, base }: Fetched, onDone: () => void) {
  const { t } = useTranslation("prices");
  const client = useQueryClient();
  return useMutation({
    mutationFn: (lines: readonly FetchedLine[]) =>
      call(acceptPriceList, {
        body: {
          source,
          base,
          lines: lines.map(({ provider, id, before_id, rule }) => ({ provider, id, before_id, rule })),
        },
      }),
    onSuccess: async (_, lines) => {
      await refreshPrices(client);
      toast.success(t("list.accepted.done", { count: lines.length, formatted: formatNumber(lines.length) }));
      onDone();
    },
  });
}

/** Ticks all that is shown, or none of it. */
function AllBox({ shown, chosen, onAll }: AllBoxProps) {
  const { t } = useTranslation("prices");
  const count = shown.filter((line) => chosen.has(keyOf(line))).length;
  return (
    <Checkbox
      size="xs"
      label={t("list.all", { count: shown.length, formatted: formatNumber(shown.length) })}
      checked={shown.length > 0 && count === shown.length}
      indeterminate={count > 0 && count < shown.length}
      onChange={(event) => onAll(event.currentTarget.checked)}
    />
  );
}

interface AllBoxProps {
  shown: readonly FetchedLine[];
  chosen: ReadonlySet<string>;
  onAll: (isChosen: boolean) => void;
}

function useChoice(lines: readonly FetchedLine[]) {
  const [chosen, setChosen] = useState(() => firstChosen(lines));
  const choose = (keys: readonly string[], isChosen: boolean) => {
    const next = new Set(chosen);
    for (const key of keys) {
      if (isChosen) next.add(key);
      else next.delete(key);
    }
    setChosen(next);
  };
  return { chosen, choose };
}

/** @param onDone after lines were accepted: the rest has to be compared with another list now */
export function FetchedLines({ fetched, onDone }: { fetched: Fetched; onDone: () => void }) {
  const { t } = useTranslation("prices");
  const { lines } = fetched;
  const [filter, setFilter] = useState<LineFilter>("all");
  const [keyword, setKeyword] = useState("");
  const { chosen, choose } = useChoice(lines);
  const accept = useAccept(fetched, onDone);
  if (lines.length === 0) return <Notice tone="blue">{t("list.nothingNew")}</Notice>;
  const counts = countsOf(lines);
  const shown = findLines(lines, filter, keyword);
  const accepted = lines.filter((line) => chosen.has(keyOf(line)));
  return (
    <div className={styles.fetched}>
      <div className={styles.tools}>
        <TextInput
          size="xs"
          type="search"
          className={styles.search ?? ""}
          aria-label={t("list.search")}
          placeholder={t("list.search")}
          leftSection={<IconSearch size={15} stroke={1.5} />}
          value={keyword}
          onChange={(event) => setKeyword(event.currentTarget.value)}
        />
        <Segmented
          label={t("list.show")}
          value={filter}
          onChange={setFilter}
          options={LINE_FILTERS.map((value) => ({
            value,
            text: `${t(`list.filter.${value}`)} ${formatNumber(counts[value])}`,
          }))}
        />
      </div>
      <div className={styles.acceptBar}>
        <AllBox shown={shown} chosen={chosen} onAll={(isChosen) => choose(shown.map(keyOf), isChosen)} />
        <BusyButton
          variant="filled"
          isBusy={accept.isPending}
          disabled={accepted.length === 0}
          onClick={() => accept.mutate(accepted)}
        >
          {t("list.accept", { count: accepted.length, formatted: formatNumber(accepted.length) })}
        </BusyButton>
      </div>
      {shown.length === 0 ? (
        <p className={styles.none}>{t("list.noneFound")}</p>
      ) : (
        <LineTable
          lines={shown}
          label={t("list.lines")}
          choice={{ chosen, onChoose: (key, isChosen) => choose([key], isChosen) }}
        />
      )}
    </div>
  );
}
