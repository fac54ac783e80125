/** The drawer of a channel's keys: how a call gets one, the table of keys with their state, and the form that adds more. */
import { Button, Textarea, ActionIcon, Switch, Tooltip } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState, type FormEvent, useId } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import { KEY_STATUS } from "../../../../../contract/src/channels/choices.ts";
import type { ChannelKeyList, ChannelKeyRow } from "../../../../../contract/src/channels/keys.ts";
import type { ChannelRow } from "../../../../../contract/src/features/channels.ts";
import { formatNumber } from "../../../lib/format.ts";
import { TableFooter } from "../../../ui/data-table/pager.tsx";
import { StatusDot, Faint } from "../../../ui/display/tags.tsx";
import { confirm } from "../../../ui/feedback/confirm.ts";
import { ErrorState } from "../../../ui/feedback/empty.tsx";
import { LoadingBars } from "../../../ui/feedback/loading-bars.tsx";
import { FormSection, SideDrawer } from "../../../ui/form/form-drawer.tsx";
import { Segmented, Field } from "../../../ui/form/fields.tsx";
import { confirmDiscard, useUnsavedGuard } from "../../../ui/form/unsaved.ts";
import { KeyChoiceField, useKeyCount } from "./several-keys-fields.tsx";
import { channelKeysQuery, useKeyActs, type SeveralKeys } from "./queries.ts";
import styles from "./keys.module.css";
import { ApiError } from "../../../lib/api.ts";
import { BusyButton } from "../../../ui/busy-button.tsx";
import { visible } from "../../../lib/names.ts";
import { Time } from "../../../ui/display/time.tsx";

const STATUSES: Record<number, { tone: "green" | "idle" | "red"; text: string }> = {
  [KEY_STATUS.enabled]: { tone: "green", text: "status.enabled" },
  [KEY_STATUS.disabled]: { tone: "idle", text: "status.disabled" },
  [KEY_STATUS.autoDisabled]: { tone: "red", text: "status.autoDisabled" },
};

interface KeyRowActs {
  setEnabled: (key: ChannelKeyRow, isEnabled: boolean) => void;
  remove: (key: ChannelKeyRow) => void;
}

function KeyStatus({ row }: { row: ChannelKeyRow }) {
  const { t } = useTranslation("channels");
  const { tone, text } = STATUSES[row.status] ?? { tone: "idle" as const, text: "status.disabled" };
  return (
    <>
      <span className={styles.statusLine}>
        <StatusDot tone={tone}>{t(text)}</StatusDot>
        {row.status !== KEY_STATUS.enabled && row.status_time > 0 && (
          <span className={styles.since}>
            <Time atS={row.status_time} />
          </span>
        )}
      </span>
      {row.status_reason !== "" && <p className={styles.reason}>{visible(row.status_reason)}</p>}
    </>
  );
}

function KeyCalls({ row }: { row: ChannelKeyRow }) {
  const { t } = useTranslation("channels");
  if (row.used_count === 0) return <Faint>{t("channel-keys:unused")}</Faint>;
  return (
    <>
      <span>{t("channel-keys:calls", { count: row.used_count, formatted: formatNumber(row.used_count) })}</span>
      {row.failed_count > 0 && (
        <span className={styles.failed}>{t("channel-keys:failed", { formatted: formatNumber(row.failed_count) })}</span>
      )}
    </>
  );
}

/** The keys of a channel as rows: mark, how each is doing and why, how often it was used, and what can be done with it. */
function KeyTable({ keys, acts, label }: { keys: readonly ChannelKeyRow[]; acts: KeyRowActs; label: string }) {
  const { t } = useTranslation("channels");
  return (
    <table className={styles.table} aria-label={label}>
      <thead>
        <tr>
          <th scope="col">{t("channel-keys:mark")}</th>
          <th scope="col">{t("columns.status")}</th>
          <th scope="col" className={styles.calls}>
            {t("channel-keys:used")}
          </th>
          <th scope="col">
            <span className="tp-visually-hidden">{t("channel-keys:acts")}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {keys.map((row) => (
          <tr key={row.id}>
            <th scope="row" className={`mono ${styles.mark}`}>
              {row.mark}
            </th>
            <td className={styles.status}>
              <KeyStatus row={row} />
            </td>
            <td className={styles.calls}>
              <KeyCalls row={row} />
            </td>
            <td className={styles.acts}>
              <Switch
                aria-label={t(
                  row.status === KEY_STATUS.enabled ? "channel-keys:disableNamed" : "channel-keys:enableNamed",
                  {
                    mark: row.mark,
                  },
                )}
                checked={row.status === KEY_STATUS.enabled}
                onChange={(event) => acts.setEnabled(row, event.currentTarget.checked)}
              />
              <Tooltip label={t("channel-keys:remove")}>
                <ActionIcon
                  variant="subtle"
                  size={28}
                  aria-label={t("channel-keys:removeNamed", { mark: row.mark })}
                  onClick={() => acts.remove(row)}
                >
                  <IconTrash size={15} stroke={1.5} />
                </ActionIcon>
              </Tooltip>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function errorOf(error: unknown): string | undefined {
  return error instanceof ApiError && error.field === "key" ? error.message : undefined;
}

/** The box that takes many keys at once, and counts what was pasted before it is sent. */
function AddKeys({
  add,
  isFirst,
  onText,
}: {
  add: ReturnType<typeof useKeyActs>["add"];
  /** The channel has one key: how calls get one of several is chosen with the first that is added. */
  isFirst: boolean;
  onText: (hasText: boolean) => void;
}) {
  const { t } = useTranslation("channels");
  const id = useId();
  const [text, setText] = useState("");
  const [isMissing, setIsMissing] = useState(false);
  const [choice, setChoice] = useState<SeveralKeys>("random");
  const { count, words } = useKeyCount(text);
  const change = (next: string) => {
    setText(next);
    setIsMissing(false);
    onText(next.trim() !== "");
    if (add.isError) add.reset();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() === "") return setIsMissing(true);
    const sent = { key: text, ...(isFirst ? { key_choice: choice } : {}) };
    add.mutate(sent, { onSuccess: () => change("") });
  };
  const error = isMissing ? t("errors.key") : errorOf(add.error);
  return (
    <form className={styles.add} onSubmit={submit} noValidate>
      <Field label={t("channel-keys:add")} htmlFor={id} help={words || t("channel-keys:addHelp")} error={error}>
        <Textarea
          id={id}
          classNames={{ input: "mono" }}
          autoComplete="off"
          spellCheck={false}
          autosize
          minRows={2}
          maxRows={8}
          error={Boolean(error)}
          value={text}
          onChange={(event) => change(event.currentTarget.value)}
        />
      </Field>
      {isFirst && <KeyChoiceField value={choice} onChange={setChoice} />}
      <BusyButton type="submit" variant="filled" isBusy={add.isPending} className={styles.submit ?? ""}>
        {count === 0 ? t("channel-keys:addAct") : t("channel-keys:addCount", { count })}
      </BusyButton>
    </form>
  );
}

type Channel = Pick<ChannelRow, "id" | "name">;
type Acts = ReturnType<typeof useKeyActs>;

const FIRST_SIZE = 20;

/** Keys of one status; those that no key has are not offered. */
function StatusFilter({
  list,
  status,
  onChange,
}: {
  list: ChannelKeyList;
  status: number | undefined;
  onChange: (status: number | undefined) => void;
}) {
  const { t } = useTranslation("channels");
  const { enabled, disabled, auto_disabled } = list;
  const counts = [
    { value: 0, text: t("channel-keys:all"), count: enabled + disabled + auto_disabled },
    { value: KEY_STATUS.enabled, text: t("status.enabled"), count: enabled },
    { value: KEY_STATUS.disabled, text: t("status.disabled"), count: disabled },
    { value: KEY_STATUS.autoDisabled, text: t("status.autoDisabled"), count: auto_disabled },
  ].filter(({ value, count }) => value === 0 || count > 0 || value === status);
  if (counts.length <= 2) return null;
  return (
    <Segmented
      label={t("channel-keys:filter")}
      value={String(status ?? 0)}
      onChange={(value) => onChange(value === "0" ? undefined : Number(value))}
      options={counts.map(({ value, text, count }) => ({
        value: String(value),
        text: `${text} ${formatNumber(count)}`,
      }))}
    />
  );
}

/** Acts on all keys at once. */
function AllActs({ list, acts, channel }: { list: ChannelKeyList; acts: Acts; channel: Channel }) {
  const { t } = useTranslation("channels");
  const { disabled, auto_disabled: count } = list;
  const removeBad = async () => {
    const question = {
      title: t("channel-keys:removeBadTitle", { count, name: channel.name }),
      text: t("channel-keys:removeText"),
      action: t("channel-keys:removeBadAction", { count }),
    };
    if (await confirm(question)) acts.remove.mutate({ which: "auto_disabled" });
  };
  if (disabled + count === 0) return null;
  return (
    <div className={styles.allActs}>
      <Button size="xs" onClick={() => acts.setStatus.mutate({ which: "all", status: 1 })}>
        {t("channel-keys:enableAll")}
      </Button>
      {count > 0 && (
        <Button size="xs" onClick={() => void removeBad()}>
          {t("channel-keys:removeBad", { count })}
        </Button>
      )}
    </div>
  );
}

/** The focus goes to the list where the row that had it is gone. */
function useKeptFocus(keys: readonly ChannelKeyRow[] | undefined) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (document.activeElement === document.body) place.current?.focus({ preventScroll: true });
  }, [keys]);
  return place;
}

function KeyList({ channel, list, acts, view, setView }: ListProps) {
  const { t } = useTranslation("channels");
  const place = useKeptFocus(list.keys);
  const { status, page, size } = view;
  const askRemove = async ({ id, mark }: ChannelKeyRow) => {
    const question = {
      title: t("channel-keys:removeTitle", { mark, name: channel.name }),
      text: t("channel-keys:removeText"),
      action: t("channel-keys:removeAction"),
    };
    if (await confirm(question)) acts.remove.mutate({ ids: [id] });
  };
  const rowActs = {
    setEnabled: ({ id }: ChannelKeyRow, isEnabled: boolean) =>
      acts.setStatus.mutate({ ids: [id], status: isEnabled ? 1 : 2 }),
    remove: (key: ChannelKeyRow) => void askRemove(key),
  };
  return (
    <div ref={place} tabIndex={-1} className={styles.list}>
      <div className={styles.tools}>
        <StatusFilter list={list} status={status} onChange={(next) => setView({ ...view, status: next, page: 1 })} />
        <AllActs list={list} acts={acts} channel={channel} />
      </div>
      {list.keys.length === 0 ? (
        <p className={styles.none}>{t("channel-keys:noneOfStatus")}</p>
      ) : (
        <KeyTable keys={list.keys} acts={rowActs} label={t("channel-keys:title", { name: channel.name })} />
      )}
      {list.total > FIRST_SIZE && (
        <TableFooter
          count={t("channel-keys:count", { count: list.total })}
          paging={{
            page,
            size,
            total: list.total,
            onPage: (next) => setView({ ...view, page: next }),
            onSize: (next) => setView({ ...view, size: next, page: 1 }),
          }}
        />
      )}
    </div>
  );
}

interface View {
  status: number | undefined;
  page: number;
  size: number;
}

interface ListProps {
  channel: Channel;
  list: ChannelKeyList;
  acts: Acts;
  view: View;
  setView: (view: View) => void;
}

/** The page that is there: one that was emptied is followed by the last that has keys. */
const pageThatIs = ({ page, size }: View, total: number): number =>
  Math.min(page, Math.max(1, Math.ceil(total / size)));

export function KeysDrawer({ channel, onClose }: { channel: Channel; onClose: () => void }) {
  const { t } = useTranslation("channels");
  const [view, setView] = useState<View>({ status: undefined, page: 1, size: FIRST_SIZE });
  const [hasText, setHasText] = useState(false);
  const query = useQuery(channelKeysQuery({ channelId: channel.id, ...view }));
  const acts = useKeyActs(channel.id);
  const { freely } = useUnsavedGuard(hasText);
  const list = query.data;
  const page = list === undefined ? view.page : pageThatIs(view, list.total);
  // Of what is on its way nothing is known yet.
  if (page !== view.page && !query.isPlaceholderData) setView({ ...view, page });
  const askAndClose = async () => {
    if (!hasText || (await confirmDiscard())) freely(onClose);
  };
  return (
    <SideDrawer
      isOpen
      onClose={() => void askAndClose()}
      title={t("channel-keys:title", { name: channel.name })}
      beside={list && list.key_choice !== "one" && <EnabledOf list={list} />}
    >
      {list === undefined && query.error === null && <LoadingBars />}
      {list === undefined && query.error !== null && (
        <ErrorState title={t("channel-keys:notLoaded")} error={query.error} onRetry={() => void query.refetch()} />
      )}
      {list !== undefined && (
        <>
          <FormSection>
            {list.key_choice === "one" ? (
              <p className={styles.help}>{t("channel-keys:one")}</p>
            ) : (
              <>
                <KeyChoiceField
                  value={(acts.choose.isPending && acts.choose.variables) || list.key_choice}
                  onChange={(choice) => acts.choose.mutate(choice)}
                />
                <KeyList channel={channel} list={list} acts={acts} view={view} setView={setView} />
              </>
            )}
          </FormSection>
          <FormSection>
            <AddKeys add={acts.add} isFirst={list.key_choice === "one"} onText={setHasText} />
          </FormSection>
        </>
      )}
    </SideDrawer>
  );
}

function EnabledOf({ list: { enabled, disabled, auto_disabled } }: { list: ChannelKeyList }) {
  const { t } = useTranslation("channels");
  const all = enabled + disabled + auto_disabled;
  const tone = enabled === 0 ? "red" : auto_disabled > 0 ? "amber" : "green";
  return <StatusDot tone={tone}>{t("channel-keys:enabledOf", { enabled, count: all })}</StatusDot>;
}
