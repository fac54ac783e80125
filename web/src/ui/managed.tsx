/** Marks of things that configuration files manage: beside the thing, a notice in its form, and the question before a change by hand. */
import { Tooltip } from "@mantine/core";
import { IconFileCode, IconLock } from "@tabler/icons-react";
import { queryOptions, useQuery } from "@tanstack/react-query";
import type { ManagedKind, ManagedMark } from "../../../contract/src/configuration/marks.ts";
import { listManaged } from "../../../contract/src/features/configuration.ts";
import { call } from "../lib/api.ts";
import { formatDateTime } from "../lib/format.ts";
import { useTranslation } from "../lib/i18n.ts";
import { apart } from "../lib/names.ts";
import { sentences } from "../lib/translate.ts";
import { confirm } from "./feedback/confirm.ts";
import { Notice } from "./feedback/notice.tsx";
import styles from "./managed.module.css";

type Marks = ReadonlyMap<string, ManagedMark>;

const NO_MARKS: Marks = new Map();

/** Channels and providers by their ids, options and models by their names. */
const keyOf = ({ kind, name, target_id: id }: ManagedMark): string =>
  kind === "channel" || kind === "provider" ? String(id) : name;

const managedQuery = (kind: ManagedKind) =>
  queryOptions({
    queryKey: ["managed", kind],
    queryFn: async ({ signal }): Promise<Marks> =>
      new Map((await call(listManaged, { query: { kind }, signal })).map((mark) => [keyOf(mark), mark])),
    staleTime: 30_000,
    structuralSharing: false,
  });

/** The marks of one kind; none while they are fetched. */
export const useMarks = (kind: ManagedKind): Marks => useQuery(managedQuery(kind)).data ?? NO_MARKS;

/** Whether it is known by now what is managed, or that it cannot be known: a form that may be locked waits for it. */
export const useKnowsMarks = (kind: ManagedKind): boolean => !useQuery(managedQuery(kind)).isPending;

/** Which file manages one thing; undefined where none does. */
export const useMark = (kind: ManagedKind, key: string | number | undefined): ManagedMark | undefined =>
  useMarks(kind).get(String(key));

function useSince() {
  const { t } = useTranslation("ui");
  return ({ updated_time, updated_by }: ManagedMark): string => {
    const time = formatDateTime(updated_time);
    return updated_by === "" ? t("managed.since", { time }) : t("managed.sinceBy", { time, user: apart(updated_by) });
  };
}

const Icon = ({ isLocked }: { isLocked: boolean }) =>
  isLocked ? <IconLock size={14} stroke={1.5} aria-hidden /> : <IconFileCode size={14} stroke={1.5} aria-hidden />;

/** A sign beside the name, with the file, the time and the person on hover. `hasName` shows the file's name too. */
export function ManagedSign({ mark, hasName = false }: { mark: ManagedMark | undefined; hasName?: boolean }) {
  const { t } = useTranslation("ui");
  const since = useSince();
  if (mark === undefined) return null;
  const label = sentences(t(mark.is_locked ? "managed.locked" : "managed.by", { name: mark.managed_by }), since(mark));
  return (
    <Tooltip label={label} events={{ hover: true, focus: true, touch: true }} multiline maw={320}>
      <span className={styles.sign} tabIndex={0} role="note" aria-label={label}>
        <Icon isLocked={mark.is_locked} />
        {hasName && <span className={styles.name}>{mark.managed_by}</span>}
      </span>
    </Tooltip>
  );
}

/** The same as a sentence, at the form of the thing. */
export function ManagedNotice({ mark, isOverForm = false }: { mark: ManagedMark | undefined; isOverForm?: boolean }) {
  const { t } = useTranslation("ui");
  const since = useSince();
  if (mark === undefined) return null;
  const name = mark.managed_by;
  return (
    <div className={isOverForm ? styles.overForm : undefined}>
      <Notice tone={mark.is_locked ? "amber" : "blue"}>
        {sentences(t(mark.is_locked ? "managed.noticeLocked" : "managed.notice", { name }), since(mark))}
      </Notice>
    </div>
  );
}

/** Asks before things are changed by hand that a file manages; what it locks is refused by the server. */
export function useManagedQuestion() {
  const { t } = useTranslation("ui");
  return async (marks: readonly (ManagedMark | undefined)[]): Promise<boolean> => {
    const [first] = marks.filter((mark) => mark !== undefined && !mark.is_locked);
    if (first === undefined) return true;
    return confirm({
      title: t("managed.question.title", { name: first.managed_by }),
      text: t("managed.question.text"),
      action: t("managed.question.action"),
      tone: "plain",
    });
  };
}
