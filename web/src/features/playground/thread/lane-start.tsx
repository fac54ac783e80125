/** A lane before a word is said: who will answer, and where something stands in the way, what it is and what can be done about it. */
import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import { visible } from "../../../lib/names.ts";
import { useMay } from "../../../lib/viewer.ts";
import { ModelMark } from "../../../ui/display/provider-mark.tsx";
import { buttonLook } from "../../../ui/plain.tsx";
import type { Lane } from "../model/conversation.ts";
import type { Start } from "../model/start.ts";
import type { Chat } from "../use-chat.ts";
import styles from "./start.module.css";

/** Kinds that the studio makes. */
const OF_STUDIO: ReadonlySet<string | undefined> = new Set(["image", "video", "audio"]);

interface LaneProps {
  chat: Chat;
  lane: Lane;
}

function Place({ title, text, children }: { title: ReactNode; text: string; children?: ReactNode }) {
  return (
    <div className={styles.start}>
      <h2 className={styles.title}>{title}</h2>
      <p className={styles.text}>{text}</p>
      {children && <div className={styles.acts}>{children}</div>}
    </div>
  );
}

/** No model of the group chats: other groups, the list of models, and for who may make one a channel. */
function NoModel({ chat, lane, groups }: LaneProps & { groups: readonly string[] }) {
  const { t } = useTranslation("playground");
  const mayConnect = useMay("channels_write");
  const { group } = chat.offer.choiceOf(lane);
  return (
    <Place
      title={t("start.none", { group: visible(group) })}
      text={t(groups.length > 0 ? "start.noneText" : "start.noneAtAll")}
    >
      {groups.map((name) => (
        <Button key={name} onClick={() => chat.acts.choose(lane.id, { group: name, model: lane.model })}>
          {t("start.useGroup", { group: visible(name) })}
        </Button>
      ))}
      <Link to="/pricing" {...buttonLook()}>
        {t("start.models")}
      </Link>
      {mayConnect && (
        <Link to="/channel/add" {...buttonLook()}>
          {t("start.channel")}
        </Link>
      )}
    </Place>
  );
}

/** Another model answers than the one that was asked for. */
function StandIn({ chat, lane, start }: LaneProps & { start: Extract<Start, { state: "standIn" }> }) {
  const { t } = useTranslation("playground");
  const { wanted, kind, group: having } = start;
  const { group, model } = chat.offer.choiceOf(lane);
  const values = { wanted: visible(wanted), model: visible(model), group: visible(group) };
  const text = t(kind === undefined ? "start.notOffered" : "start.noChatModel", values);
  return (
    <Place title={<Answerer model={model} />} text={text}>
      {having !== undefined && (
        <Button onClick={() => chat.acts.choose(lane.id, { group: having, model: wanted })}>
          {t("start.useGroup", { group: visible(having) })}
        </Button>
      )}
      {OF_STUDIO.has(kind) && (
        <Link to="/studio" search={{ model: wanted }} {...buttonLook()}>
          {t("start.studio")}
        </Link>
      )}
      {kind !== undefined && (
        <Link to="/models/$name" params={{ name: wanted }} {...buttonLook()}>
          {t("start.page", values)}
        </Link>
      )}
    </Place>
  );
}

function Answerer({ model }: { model: string }) {
  const { t } = useTranslation("playground");
  return (
    <>
      <ModelMark model={model} size={20} />
      <span>{t("start.title", { model: visible(model) })}</span>
    </>
  );
}

export function LaneStart({ chat, lane }: LaneProps) {
  const { t } = useTranslation(["playground", "ui"]);
  const { offer } = chat;
  if (offer.error)
    return (
      <Place title={t("notLoaded")} text={t("start.failed")}>
        <Button onClick={offer.retry}>{t("ui:error.retry")}</Button>
      </Place>
    );
  if (offer.isLoading) return null;
  const start = offer.startOf(lane);
  if (start.state === "none") return <NoModel chat={chat} lane={lane} groups={start.groups} />;
  if (start.state === "standIn") return <StandIn chat={chat} lane={lane} start={start} />;
  return <Place title={<Answerer model={offer.choiceOf(lane).model} />} text={t("start.text")} />;
}
