/** The redemption page for administrators: the list of codes, the actions on them, and the drawers that create and edit them. */
import { Button } from "@mantine/core";
import {
  IconPlus,
  IconCopy,
  IconEdit,
  IconPlayerPause,
  IconPlayerPlay,
  IconTrash,
  IconTrashX,
} from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState, type ReactNode } from "react";
import { type TFunction, useTranslation } from "../../lib/i18n.ts";
import { REDEMPTION_STATUS, type RedemptionRow } from "../../../../contract/src/features/redemptions.ts";
import { useSearchState } from "../../lib/search.ts";
import { DataTable } from "../../ui/data-table/data-table.tsx";
import { ChoiceFilter, SearchFilter } from "../../ui/data-table/filters.tsx";
import { useListState } from "../../ui/data-table/list-state.ts";
import { queryRows } from "../../ui/data-table/table-props.ts";
import { RowActions, RowMenu, type RowAction } from "../../ui/data-table/row-actions.tsx";
import { Empty } from "../../ui/feedback/empty.tsx";
import { Page } from "../../ui/page.tsx";
import { useShortcuts } from "../../ui/shortcuts/shortcuts.ts";
import { KeepCodes } from "./batch.tsx";
import { STATUSES, useRedemptionColumns, CodeKey, CodeName, CodeStatus, UsedBy } from "./columns.tsx";
import type { MadeCodes } from "./editor-drawer.tsx";
import { searchedText, shortCode } from "./model/code.ts";
import {
  REDEMPTION_FILTERS,
  type RedemptionList,
  redemptionsQuery,
  countInvalid,
  useDeleteInvalid,
  useDeleteRedemption,
  useSetStatus,
} from "./queries.ts";
import { redemptionSearch } from "./route.ts";
import { RowCard, RowCardAmount, RowCardHead, RowCardLine } from "../../ui/data-table/row-card.tsx";
import { Quota } from "../../ui/display/quota.tsx";
import { Time } from "../../ui/display/time.tsx";
import styles from "./redemptions.module.css";
import { copyText } from "../../lib/clipboard.ts";
import { formatQuota } from "../../lib/format.ts";
import { apart } from "../../lib/names.ts";
import { BusyButton } from "../../ui/busy-button.tsx";
import { confirm } from "../../ui/feedback/confirm.ts";
import { toast } from "../../ui/feedback/toast-store.ts";

const glyph = { size: 15, stroke: 1.5 } as const;

/** Asks once, naming the code and the effect. */
const askToDelete = (code: RedemptionRow, t: TFunction): Promise<boolean> =>
  confirm({
    title: t("delete.title", { name: apart(code.name), code: shortCode(code.key) }),
    text: t(code.status === REDEMPTION_STATUS.used ? "delete.textUsed" : "delete.text", {
      quota: formatQuota(code.quota),
    }),
    action: t("delete.action"),
    keep: t("delete.keep"),
  });

/** Runs an act and shows its result. */
async function withMessage(act: () => Promise<unknown>, done: string, failed: string): Promise<void> {
  try {
    await act();
    toast.success(done);
  } catch (error) {
    toast.error(error, failed);
  }
}

/** The ⋯ menu of one code. Used ones stay as they are. */
function useCodeMenu(edit: (id: number) => void): (code: RedemptionRow) => RowAction[] {
  const { t } = useTranslation("redemptions");
  const setStatus = useSetStatus();
  const remove = useDeleteRedemption();
  const copy = async (code: RedemptionRow) => {
    if (await copyText(code.key)) toast.success(t("codeCopied"), code.name);
  };
  const set = (code: RedemptionRow, status: number, word: "enable" | "disable") => {
    const name = apart(code.name);
    const act = () => setStatus.mutateAsync({ id: code.id, status });
    return withMessage(act, t(`act.${word}.done`, { name }), t(`act.${word}.failed`, { name }));
  };
  const askAndRemove = async (code: RedemptionRow) => {
    if (!(await askToDelete(code, t))) return;
    const name = apart(code.name);
    await withMessage(() => remove.mutateAsync(code.id), t("delete.done", { name }), t("delete.failed", { name }));
  };
  return (code) => {
    const { status } = code;
    const isUsed = status === REDEMPTION_STATUS.used;
    return [
      { label: t("copyCode"), icon: <IconCopy {...glyph} />, onPick: () => void copy(code) },
      {
        label: t("edit"),
        icon: <IconEdit {...glyph} />,
        isDisabled: status !== REDEMPTION_STATUS.unused,
        isFirst: true,
        onPick: () => edit(code.id),
      },
      status === REDEMPTION_STATUS.unused
        ? {
            label: t("act.disable.word"),
            icon: <IconPlayerPause {...glyph} />,
            onPick: () => void set(code, REDEMPTION_STATUS.disabled, "disable"),
          }
        : {
            label: t("act.enable.word"),
            icon: <IconPlayerPlay {...glyph} />,
            isDisabled: isUsed,
            onPick: () => void set(code, REDEMPTION_STATUS.unused, "enable"),
          },
      {
        label: t("delete.word"),
        icon: <IconTrash {...glyph} />,
        tone: "danger",
        isDivided: true,
        onPick: () => void askAndRemove(code),
      },
    ];
  };
}

/** Deletes the codes that are used or disabled, after saying how many they are. */
function DeleteInvalidButton() {
  const { t } = useTranslation("redemptions");
  const remove = useDeleteInvalid();
  const [isCounting, setIsCounting] = useState(false);
  const run = async () => {
    setIsCounting(true);
    try {
      const count = await countInvalid();
      if (count === 0) return toast.info(t("invalid.none"));
      const isSure = await confirm({
        title: t("invalid.title", { count }),
        text: t("invalid.text"),
        action: t("invalid.action", { count }),
        keep: t("invalid.keep"),
      });
      if (isSure) toast.success(t("invalid.done", { count: await remove.mutateAsync(undefined) }));
    } catch (error) {
      toast.error(error, t("invalid.failed"));
    } finally {
      setIsCounting(false);
    }
  };
  return (
    <BusyButton
      leftSection={<IconTrashX {...glyph} />}
      isBusy={isCounting || remove.isPending}
      onClick={() => void run()}
    >
      {t("invalid.word")}
    </BusyButton>
  );
}

/** `menu` is the row's ⋯. */
function CodeCard({ code, menu }: { code: RedemptionRow; menu: ReactNode }) {
  const { t } = useTranslation("redemptions");
  return (
    <RowCard>
      <RowCardHead state={<CodeStatus code={code} />} menu={menu}>
        <CodeName code={code} />
      </RowCardHead>
      <RowCardLine>
        <CodeKey code={code} isIconShown />
        <RowCardAmount>
          <Quota quota={code.quota} />
        </RowCardAmount>
      </RowCardLine>
      <RowCardLine isFaint>
        {code.used_user_id === 0 ? (
          <span>
            {t("card.created")} <Time atS={code.created_time} />
          </span>
        ) : (
          <span className={styles.usedBy}>
            {t("card.usedBy")} <UsedBy code={code} />
          </span>
        )}
        {code.redeemed_time > 0 && <Time atS={code.redeemed_time} />}
      </RowCardLine>
    </RowCard>
  );
}

const CreateDrawer = lazy(async () => ({ default: (await import("./editor-drawer.tsx")).CreateDrawer }));
const EditDrawer = lazy(async () => ({ default: (await import("./editor-drawer.tsx")).EditDrawer }));
const MadeDrawer = lazy(async () => ({ default: (await import("./made-drawer.tsx")).MadeDrawer }));

/** Which drawer the address asks for, and how to open and close one: /redemption?open=edit&id=3. */
function useDrawers() {
  const [search, change] = useSearchState(redemptionSearch);
  return {
    isCreating: search.open === "create",
    id: search.open === "edit" ? search.id : undefined,
    create: () => change({ open: "create", id: undefined }),
    edit: (id: number) => change({ open: "edit", id }),
    close: () => change({ open: undefined, id: undefined }, "replace"),
  };
}

function Filters({ list }: { list: RedemptionList }) {
  const { t } = useTranslation("redemptions");
  return (
    <>
      <SearchFilter
        label={t("search")}
        value={list.filters.keyword ?? ""}
        onChange={(keyword, step) => list.setFilters({ keyword: searchedText(keyword) }, step)}
      />
      <ChoiceFilter
        label={t("columns.status")}
        choices={STATUSES.map(({ status, key }) => ({ value: String(status), text: t(`status.${key}`) }))}
        value={list.filters.status}
        onChange={(status) => list.setFilters({ status })}
      />
    </>
  );
}

function CreateButton({ onClick }: { onClick: () => void }) {
  const { t } = useTranslation("redemptions");
  return (
    <Button variant="filled" leftSection={<IconPlus size={15} stroke={2} />} onClick={onClick}>
      {t("create")}
    </Button>
  );
}

function NoCodes({ onCreate }: { onCreate: () => void }) {
  const { t } = useTranslation("redemptions");
  return (
    <Empty title={t("empty.title")} sentence={t("empty.sentence")} actions={<CreateButton onClick={onCreate} />} />
  );
}

/** The name of the file for codes that were selected: the name they have in common. */
const fileNameOf = (codes: readonly RedemptionRow[]): string => {
  const names = new Set(codes.map(({ name }) => name));
  return names.size === 1 ? (codes[0]?.name ?? "") : "";
};

export function RedemptionsPage() {
  const { t } = useTranslation("redemptions");
  const list = useListState(REDEMPTION_FILTERS);
  const query = useQuery(redemptionsQuery(list));
  const total = query.data?.total ?? 0;
  const isEmpty = total === 0 && query.data !== undefined && !list.isFiltered;
  const drawers = useDrawers();
  const [made, setMade] = useState<MadeCodes>();
  const menu = useCodeMenu(drawers.edit);
  const isEditable = ({ status }: RedemptionRow) => status === REDEMPTION_STATUS.unused;
  useShortcuts([{ keys: "n", label: t("create"), section: "page", run: drawers.create }]);
  const actions = (
    <>
      <DeleteInvalidButton />
      <CreateButton onClick={drawers.create} />
    </>
  );
  return (
    <Page title={t("title")} purpose={t("purpose")} actions={!isEmpty && actions}>
      <DataTable
        name="redemptions"
        label={t("title")}
        columns={useRedemptionColumns()}
        list={list}
        data={queryRows(query, query.data?.items, total)}
        rowKey={(code) => String(code.id)}
        rowName={(code) => code.name}
        filters={<Filters list={list} />}
        selection={(rows) => <KeepCodes codes={rows.map(({ key }) => key)} name={fileNameOf(rows)} />}
        onOpen={(code) => isEditable(code) && drawers.edit(code.id)}
        tone={(code) => (isEditable(code) ? undefined : "off")}
        actions={(code) => <RowActions about={code.name} items={menu(code)} />}
        card={(code) => <CodeCard code={code} menu={<RowMenu about={code.name} items={menu(code)} />} />}
        empty={<NoCodes onCreate={drawers.create} />}
        count={t("count", { count: total })}
        errorTitle={t("notLoaded")}
      />
      <Suspense>
        {drawers.isCreating && <CreateDrawer onClose={drawers.close} onMade={setMade} />}
        {drawers.id !== undefined && <EditDrawer key={drawers.id} id={drawers.id} onClose={drawers.close} />}
        {made !== undefined && !drawers.isCreating && <MadeDrawer made={made} onClose={() => setMade(undefined)} />}
      </Suspense>
    </Page>
  );
}
