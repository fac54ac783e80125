/** Sharing the open chat: a preview, the duration, the link, and earlier links. */
import { IconTrash } from "@tabler/icons-react";
import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useMemo, useState } from "react";
import {
  CHAT_SHARE_DAYS_DEFAULT,
  type ChatShare,
  createChatShare,
  deleteChatShare,
  listChatShares,
} from "../../../../contract/src/features/playground.ts";
import { call } from "../../lib/api.ts";
import { formatDate } from "../../lib/format.ts";
import { useTranslation } from "../../lib/i18n.ts";
import { visible } from "../../lib/names.ts";
import { CopyButton } from "../../ui/display/copy.tsx";
import { toast } from "../../ui/feedback/toast-store.ts";
import { ChoiceSelect } from "../../ui/form/choice-select.tsx";
import { PlainButton, PlainField } from "../../ui/plain.tsx";
import { PlainDialog } from "../../ui/plain-dialog.tsx";
import { type Conversation, isUnderWay } from "./model/conversation.ts";
import { snapshotOf } from "./model/share-snapshot.ts";
import { ActButton } from "./thread/act-button.tsx";
import styles from "./share.module.css";

const ownSharesQuery = queryOptions({
  queryKey: ["playground", "shares"],
  queryFn: ({ signal }) => call(listChatShares, { signal }),
});

const DAYS = [1, 7, CHAT_SHARE_DAYS_DEFAULT, 90, 365];

const addressOf = ({ id }: Pick<ChatShare, "id">): string => `${location.origin}/share/${id}`;

/** The links of the account, which their owner removes. */
function OwnShares({ madeId }: { madeId: string | undefined }) {
  const { t } = useTranslation("playground");
  const client = useQueryClient();
  const { data, error } = useQuery(ownSharesQuery);
  const remove = async (id: string) => {
    try {
      await call(deleteChatShare, { params: { id } });
    } catch (failure) {
      toast.error(failure);
    }
    await client.invalidateQueries({ queryKey: ownSharesQuery.queryKey });
  };
  if (error !== null) return <p className={styles.note}>{t("share.notLoaded")}</p>;
  const others = (data ?? []).filter(({ id }) => id !== madeId);
  if (others.length === 0) return null;
  return (
    <section className={styles.own} aria-label={t("share.own")}>
      <h3>{t("share.own")}</h3>
      <ul>
        {others.map((share) => {
          const name = visible(share.title) || t("untitled");
          return (
            <li key={share.id}>
              <a href={addressOf(share)} target="_blank" rel="noopener noreferrer">
                {name}
              </a>
              <span className={styles.until}>{t("share.until", { date: formatDate(share.expires_time) })}</span>
              <CopyButton text={addressOf(share)} label={t("share.copyOf", { name })} />
              <ActButton icon={IconTrash} label={t("share.remove", { name })} onClick={() => void remove(share.id)} />
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** The new link, ready to be copied. */
function Made({ share }: { share: ChatShare }) {
  const { t } = useTranslation("playground");
  return (
    <PlainField
      label={t("share.link")}
      readOnly
      autoFocus
      value={addressOf(share)}
      hint={t("share.made", { date: formatDate(share.expires_time) })}
      onFocus={({ currentTarget }) => currentTarget.select()}
      side={<CopyButton text={addressOf(share)} label={t("share.copy")} />}
    />
  );
}

interface Choice {
  hasSystem: boolean;
  days: number;
}

/** What anyone with the link sees, shown before it is made. */
function Visible({
  conversation,
  choice,
  change,
}: {
  conversation: Conversation;
  choice: Choice;
  change: (next: Partial<Choice>) => void;
}) {
  const { t } = useTranslation("playground");
  const id = useId();
  const { pictures, leftOut, isTooLong } = useMemo(
    () => snapshotOf(conversation, choice.hasSystem),
    [conversation, choice.hasSystem],
  );
  return (
    <div className={styles.choices}>
      <p className={styles.note}>{t("share.visible")}</p>
      {pictures > 0 && <p className={styles.note}>{t("share.pictures", { count: pictures })}</p>}
      {leftOut > 0 && <p className={styles.warning}>{t("share.leftOut", { count: leftOut })}</p>}
      {isTooLong && (
        <p className={styles.warning} role="alert">
          {t("share.tooLong")}
        </p>
      )}
      {conversation.system.trim() !== "" && (
        <label className={styles.tick}>
          <input
            type="checkbox"
            checked={choice.hasSystem}
            onChange={({ currentTarget }) => change({ hasSystem: currentTarget.checked })}
          />
          {t("share.system")}
        </label>
      )}
      <div className={styles.days}>
        <span id={`${id}-label`}>{t("share.days")}</span>
        <ChoiceSelect
          isInPlainDialog
          id={id}
          labelledBy={`${id}-label`}
          choices={DAYS.map((count) => ({ value: String(count), text: t("share.day", { count }) }))}
          value={String(choice.days)}
          onChange={(days) => change({ days: Number(days) })}
        />
      </div>
    </div>
  );
}

export function ShareDialog({ conversation, onClose }: { conversation: Conversation; onClose: () => void }) {
  const { t } = useTranslation("playground");
  const client = useQueryClient();
  const [choice, setChoice] = useState<Choice>({ hasSystem: false, days: CHAT_SHARE_DAYS_DEFAULT });
  const [made, setMade] = useState<ChatShare>();
  const [isBusy, setIsBusy] = useState(false);
  const { lanes } = conversation;
  const isEmpty = lanes.every(({ messages }) => messages.length === 0);
  const isWriting = lanes.some(({ messages }) => messages.some(isUnderWay));
  const share = async () => {
    const { title, chat, isTooLong } = snapshotOf(conversation, choice.hasSystem);
    if (isTooLong) return;
    setIsBusy(true);
    try {
      setMade(await call(createChatShare, { body: { title, chat, days: choice.days } }));
      await client.invalidateQueries({ queryKey: ownSharesQuery.queryKey });
    } catch (error) {
      toast.error(error);
    }
    setIsBusy(false);
  };
  const canShare = !isEmpty && !isWriting && made === undefined;
  return (
    <PlainDialog
      title={t("share.title")}
      close={t("share.close")}
      onClose={onClose}
      action={
        canShare && (
          <PlainButton look="filled" isBusy={isBusy} onClick={() => void share()}>
            {t("share.make")}
          </PlainButton>
        )
      }
    >
      {made !== undefined && <Made share={made} />}
      {canShare && (
        <Visible
          conversation={conversation}
          choice={choice}
          change={(next) => setChoice((old) => ({ ...old, ...next }))}
        />
      )}
      {isEmpty && <p className={styles.note}>{t("share.empty")}</p>}
      {isWriting && <p className={styles.note}>{t("share.writing")}</p>}
      <OwnShares madeId={made?.id} />
    </PlainDialog>
  );
}
