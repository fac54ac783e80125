/** What can be done with many channels: those selected on the page, or all that the filters match. */
import { Button } from "@mantine/core";
import { IconPlayerPlay, IconTag, IconTrash } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { Selection } from "../../../ui/data-table/selection.ts";
import { BusyButton } from "../../../ui/busy-button.tsx";
import styles from "../channels.module.css";
import { mayDisable, useToldDisabled } from "../impact.ts";
import { type Chosen, chosenOf } from "../model/chosen.ts";
import { type ListEntry, selectedChannels } from "../model/rows.ts";
import { useChangeStatuses } from "../mutations.ts";
import type { ChannelView } from "../queries.ts";
import { useTestRun } from "../test-run.ts";
import type { useChannelActs } from "./acts.ts";

const glyph = { size: 15, stroke: 1.5 } as const;

interface Props {
  /** As the table hands it over. */
  selected: [rows: readonly ListEntry[], clear: () => void, selection: Selection];
  view: ChannelView;
  /** How many channels match. */
  total: number;
  does: Pick<ReturnType<typeof useChannelActs>, "confirmedDelete">;
  onSetTag: (chosen: Chosen, onDone: () => void) => void;
}

function StatusButtons({ chosen, clear }: { chosen: Chosen; clear: () => void }) {
  const { t } = useTranslation("channels");
  const save = useChangeStatuses();
  // Rows of the page stay selected for the next act; what matches a filter may be others after this one.
  const onSuccess = () => chosen.areAllMatching && clear();
  const toldDisabled = useToldDisabled();
  const change = async (isEnabled: boolean) => {
    if (isEnabled) return save.mutate({ choice: chosen.choice, isEnabled }, { onSuccess });
    const question = { ...chosen.choice, act: "disable_channels" as const };
    if (!(await mayDisable(question, t("count", { count: chosen.count })))) return;
    const tell = () => {
      onSuccess();
      // Of those on other pages it is not known which were enabled.
      if (!chosen.areAllMatching) toldDisabled(chosen.channels);
    };
    save.mutate({ choice: chosen.choice, isEnabled }, { onSuccess: tell });
  };
  const button = (isEnabled: boolean) => (
    <BusyButton
      isBusy={save.isPending && save.variables.isEnabled === isEnabled}
      onClick={() => void change(isEnabled)}
    >
      {t(isEnabled ? "actions.enable" : "actions.disable")}
    </BusyButton>
  );
  return (
    <>
      {button(true)}
      {button(false)}
    </>
  );
}

export function SelectionActs({ selected, view, total, does, onSetTag }: Props) {
  const { t } = useTranslation("channels");
  const [rows, clear, selection] = selected;
  const chosen = chosenOf(view, selectedChannels(rows), selection, total);
  const test = useTestRun();
  const remove = async () => {
    if (await does.confirmedDelete(chosen)) clear();
  };
  if (chosen.count === 0) return null;
  return (
    <>
      <StatusButtons chosen={chosen} clear={clear} />
      <Button leftSection={<IconPlayerPlay {...glyph} />} onClick={() => void test(chosen.choice)}>
        {t("actions.test")}
      </Button>
      <Button leftSection={<IconTag {...glyph} />} onClick={() => onSetTag(chosen, clear)}>
        {t("setTag.action")}
      </Button>
      <span className={styles.space} />
      <Button data-tone="danger" leftSection={<IconTrash {...glyph} />} onClick={() => void remove()}>
        {t("actions.delete")}
      </Button>
    </>
  );
}
