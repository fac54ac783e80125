/** The playground: a chat with any model that the viewer may call, in one or more lanes, charged as other calls and stored in this browser. */
import { Button, ActionIcon, Tooltip } from "@mantine/core";
import {
  IconAdjustments,
  IconCode,
  IconColumns,
  IconListNumbers,
  IconPlus,
  IconShare,
  IconX,
} from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { formatDecimals, formatDurationMs, formatNumber, formatQuota } from "../../lib/format.ts";
import { visible } from "../../lib/names.ts";
import { useStatus } from "../../lib/status.ts";
import { ModelMark } from "../../ui/display/provider-mark.tsx";
import { Notice } from "../../ui/feedback/notice.tsx";
import { Page } from "../../ui/page.tsx";
import { unlessOff } from "../../ui/plain.tsx";
import { useShortcuts } from "../../ui/shortcuts/shortcuts.ts";
import { Composer } from "./composer.tsx";
import { LANES_MOST, type Lane } from "./model/conversation.ts";
import { totalsOf } from "./model/totals.ts";
import { Panel } from "./panel.tsx";
import styles from "./playground.module.css";
import { type Chat, useChat } from "./use-chat.ts";
import { ChoiceOnUse } from "../../ui/form/choice-on-use.tsx";
import lanesStyles from "./lanes.module.css";
import { LaneStart } from "./thread/lane-start.tsx";
import { Thread } from "./thread/thread.tsx";

/** As below each answer. */
const COST_DECIMALS = 6;

const modelContent = (model: string) => (
  <span className={lanesStyles.model}>
    <ModelMark model={model} size={18} />
    <span className="mono">{model}</span>
  </span>
);

function LaneHead({
  chat,
  lane,
  isChosen,
  onChoose,
}: {
  chat: Chat;
  lane: Lane;
  isChosen: boolean;
  onChoose: () => void;
}) {
  const { t } = useTranslation("playground");
  const { group, model, models } = chat.offer.choiceOf(lane);
  return (
    <div className={lanesStyles.head} data-is-chosen={isChosen || undefined}>
      <span className={lanesStyles.choice}>
        <ChoiceOnUse
          isBare
          label={t("model")}
          choices={models.map(({ model_name }) => ({
            value: model_name,
            text: model_name,
            content: modelContent(model_name),
          }))}
          value={model}
          onChange={(next) => chat.acts.choose(lane.id, { group, model: next })}
        />
      </span>
      <Tooltip label={t("compare.settings", { model })}>
        <ActionIcon
          variant="subtle"
          size={28}
          aria-label={t("compare.settings", { model })}
          aria-pressed={isChosen}
          onClick={onChoose}
        >
          <IconAdjustments size={16} stroke={1.5} />
        </ActionIcon>
      </Tooltip>
      <Tooltip label={t("compare.remove", { model })}>
        <ActionIcon
          variant="subtle"
          size={28}
          aria-label={t("compare.remove", { model })}
          onClick={() => chat.acts.removeLane(lane.id)}
        >
          <IconX size={16} stroke={1.5} />
        </ActionIcon>
      </Tooltip>
    </div>
  );
}

/** What the model's answers took together. */
function LaneTotals({ lane }: { lane: Lane }) {
  const { t } = useTranslation("playground");
  const { answers, quota, firstTokenMs, tokensPerSecond: speed, tokens } = totalsOf(lane.messages);
  if (answers === 0) return null;
  const parts = [
    quota === undefined ? "" : formatQuota(quota, COST_DECIMALS),
    firstTokenMs === undefined ? "" : t("figures.first", { time: formatDurationMs(firstTokenMs) }),
    speed === undefined ? "" : t("figures.speed", { speed: formatDecimals(speed, speed < 10 ? 1 : 0) }),
    tokens === undefined ? "" : t("compare.tokens", { count: tokens, formatted: formatNumber(tokens) }),
  ].filter((part) => part !== "");
  return (
    <p className={lanesStyles.totals} role="group" aria-label={t("compare.totals")}>
      {parts.map((part) => (
        <span key={part}>{part}</span>
      ))}
    </p>
  );
}

/** The lanes beside each other: one thread, or two to four models that answer the same prompt. */
function Lanes({ chat, chosenId, onChoose }: { chat: Chat; chosenId: string; onChoose: (laneId: string) => void }) {
  const { t } = useTranslation("playground");
  const { lanes } = chat.current;
  const isOne = lanes.length === 1;
  return (
    <div className={lanesStyles.lanes} data-is-one={isOne || undefined}>
      {lanes.map((lane) => (
        <section key={lane.id} className={lanesStyles.lane} aria-label={chat.offer.choiceOf(lane).model}>
          {!isOne && (
            <>
              <LaneHead chat={chat} lane={lane} isChosen={lane.id === chosenId} onChoose={() => onChoose(lane.id)} />
              <LaneTotals lane={lane} />
            </>
          )}
          <Thread
            key={chat.current.id}
            lane={lane}
            acts={chat.acts}
            isBusy={chat.isBusy}
            start={<LaneStart chat={chat} lane={lane} />}
            compared={isOne ? undefined : chat.offer.choiceOf(lane).model}
            label={isOne ? t("messages") : t("messagesOf", { model: chat.offer.choiceOf(lane).model })}
          />
        </section>
      ))}
    </div>
  );
}

const PromptSetDrawer = lazy(async () => ({
  default: (await import("./prompt-set-drawer.tsx")).PromptSetDrawer,
}));
const ShareDialog = lazy(async () => ({ default: (await import("./share-dialog.tsx")).ShareDialog }));
const CodeDrawer = lazy(async () => ({ default: (await import("./code/code-drawer.tsx")).CodeDrawer }));

const icon = { size: 15, stroke: 1.5 } as const;

/** Named by its icon alone where there is no room for words. */
const HeadButton = ({
  icon: mark,
  label,
  isDisabled = false,
  onClick,
}: {
  icon: React.ReactNode;
  label: string;
  isDisabled?: boolean;
  onClick: () => void;
}) => (
  <Button
    className={styles.headButton ?? ""}
    leftSection={mark}
    aria-label={label}
    title={label}
    {...unlessOff(isDisabled, onClick)}
  >
    <span className={styles.word}>{label}</span>
  </Button>
);

function Expired() {
  const { t } = useTranslation("playground");
  return (
    <div className={styles.notice}>
      <Notice tone="amber">
        {t("expired")}{" "}
        <Link to="/login" search={{ next: "/playground" }}>
          {t("logIn")}
        </Link>
      </Notice>
    </div>
  );
}

/** The lane whose settings the panel shows. */
function useChosenLane(chat: Chat): [Lane | undefined, (laneId: string) => void] {
  const [chosenId, setChosenId] = useState("");
  const { lanes } = chat.current;
  return [lanes.find(({ id }) => id === chosenId) ?? lanes[0], setChosenId];
}

type Opened = Omit<ReturnType<typeof useChat>, "chat"> & { chat: Chat };

function Desk({ chat, list, isForgetful, open, beginNew, isPanelOpen, setIsPanelOpen }: Opened & PanelState) {
  const { t } = useTranslation("playground");
  const [lane, chooseLane] = useChosenLane(chat);
  if (lane === undefined) return null;
  const { model } = chat.offer.choiceOf(lane);
  return (
    <div className={styles.desk}>
      <Panel
        chat={chat}
        lane={lane}
        list={list}
        isForgetful={isForgetful}
        isOpen={isPanelOpen}
        onOpen={(id) => {
          open(id);
          setIsPanelOpen(false);
        }}
        onNew={beginNew}
        onClose={() => setIsPanelOpen(false)}
      />
      <div className={styles.chat}>
        <Lanes
          chat={chat}
          chosenId={lane.id}
          onChoose={(id) => {
            chooseLane(id);
            setIsPanelOpen(true);
          }}
        />
        <Composer
          key={chat.current.id}
          chat={chat}
          model={
            chat.current.lanes.length === 1 && (
              <button type="button" className={styles.model} onClick={() => setIsPanelOpen(true)}>
                <ModelMark model={model} size={16} />
                {model === "" ? <span>{t("model")}</span> : <span className="mono">{visible(model)}</span>}
              </button>
            )
          }
        />
      </div>
    </div>
  );
}

interface PanelState {
  isPanelOpen: boolean;
  setIsPanelOpen: (isOpen: boolean) => void;
}

export function PlaygroundPage() {
  const { t } = useTranslation("playground");
  const opened = useChat();
  const { chat, beginNew, isExpired } = opened;
  const [isPanelOpen, setIsPanelOpen] = useState(false);
  const [isCodeShown, setIsCodeShown] = useState(false);
  const [isSetShown, setIsSetShown] = useState(false);
  const [isShareShown, setIsShareShown] = useState(false);
  const { chat_share_enabled } = useStatus();
  useShortcuts([{ keys: "n", label: t("new"), section: "page", run: beginNew }]);
  const isFull = (chat?.current.lanes.length ?? 0) >= LANES_MOST;
  return (
    <div className={styles.root}>
      <Page
        title={t("title")}
        actions={
          <>
            <span className={styles.phoneOnly}>
              <HeadButton
                icon={<IconAdjustments {...icon} />}
                label={t("panel.open")}
                onClick={() => setIsPanelOpen(true)}
              />
            </span>
            <HeadButton
              icon={<IconColumns {...icon} />}
              label={t("compare.add")}
              isDisabled={chat === undefined || chat.isBusy || isFull}
              onClick={() => chat?.acts.addLane()}
            />
            <HeadButton
              icon={<IconListNumbers {...icon} />}
              label={t("set.show")}
              onClick={() => setIsSetShown(true)}
            />
            {chat_share_enabled && (
              <HeadButton
                icon={<IconShare {...icon} />}
                label={t("share.show")}
                onClick={() => setIsShareShown(true)}
              />
            )}
            <HeadButton icon={<IconCode {...icon} />} label={t("code.show")} onClick={() => setIsCodeShown(true)} />
            <HeadButton icon={<IconPlus {...icon} />} label={t("new")} onClick={beginNew} />
          </>
        }
      >
        {isExpired && <Expired />}
        {chat !== undefined && (
          <Desk {...opened} chat={chat} isPanelOpen={isPanelOpen} setIsPanelOpen={setIsPanelOpen} />
        )}
      </Page>
      <Suspense>
        {isShareShown && chat !== undefined && (
          <ShareDialog conversation={chat.current} onClose={() => setIsShareShown(false)} />
        )}
        {isSetShown && chat !== undefined && <PromptSetDrawer chat={chat} onClose={() => setIsSetShown(false)} />}
        {isCodeShown && chat !== undefined && <CodeDrawer chat={chat} onClose={() => setIsCodeShown(false)} />}
      </Suspense>
    </div>
  );
}
