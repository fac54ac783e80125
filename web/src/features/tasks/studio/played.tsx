/** Plays a log row's result: its songs by the player at the foot of the page, its video over the page. */
import { useState } from "react";
import { useTranslation } from "../../../lib/i18n.ts";
import { visible } from "../../../lib/names.ts";
import { PlainDialog } from "../../../ui/plain-dialog.tsx";
import type { TaskRow } from "../model/task-row.ts";
import { taskItem, type Sound } from "./items.ts";
import { Player } from "./player.tsx";
import styles from "./player.module.css";

/** Open while it is drawn; another row's sound takes the place of this one's. */
export function Played({ row, onClose }: { row: TaskRow; onClose: () => void }) {
  const { t } = useTranslation("tasks");
  const { film, sounds, prompt } = taskItem(row);
  const playable = sounds.filter(({ address }) => address !== undefined);
  const [chosen, setChosen] = useState<Sound>();
  const playing = playable.find(({ id }) => id === chosen?.id) ?? playable[0];
  if (film !== undefined)
    return (
      <PlainDialog title={visible(prompt) || t("result.video")} close={t("result.close")} onClose={onClose}>
        <video className={styles.film} controls autoPlay src={film} aria-label={visible(prompt) || t("result.video")} />
      </PlainDialog>
    );
  if (playing === undefined) return null;
  return <Player sounds={playable} playing={playing} onPlay={setChosen} onClose={onClose} />;
}
