/** The lanes beside each other: one thread, or two to four models that answer the same prompt. */
import { ActionIcon, Tooltip } from "@mantine/core";
import { IconAdjustments, IconX } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { ModelMark } from "../../ui/display/provider-mark.tsx";
import { ChoiceOnUse } from "../../ui/form/choice-on-use.tsx";
import styles from "./lanes.module.css";
import type { Lane } from "./model/conversation.ts";
import { Thread } from "./thread/thread.tsx";
import type { Chat } from "./use-chat.ts";

const modelContent = (model: string) => (
  <span className={styles.model}>
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
    <div className={styles.head} data-is-chosen={isChosen || undefined}>
      <span className={styles.choice}>
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

export function Lanes({
  chat,
  chosenId,
  onChoose,
}: {
  chat: Chat;
  chosenId: string;
  onChoose: (laneId: string) => void;
}) {
  const { t } = useTranslation("playground");
  const { lanes } = chat.current;
  const isOne = lanes.length === 1;
  return (
    <div className={styles.lanes} data-is-one={isOne || undefined}>
      {lanes.map((lane) => (
        <section key={lane.id} className={styles.lane} aria-label={chat.offer.choiceOf(lane).model}>
          {!isOne && (
            <LaneHead chat={chat} lane={lane} isChosen={lane.id === chosenId} onChoose={() => onChoose(lane.id)} />
          )}
          <Thread
            key={chat.current.id}
            lane={lane}
            acts={chat.acts}
            isBusy={chat.isBusy}
            compared={isOne ? undefined : chat.offer.choiceOf(lane).model}
            label={isOne ? t("messages") : t("messagesOf", { model: chat.offer.choiceOf(lane).model })}
          />
        </section>
      ))}
    </div>
  );
}
