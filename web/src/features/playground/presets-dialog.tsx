/** A person's presets: one is chosen, its places are filled, and it stands in the prompt box; what stands there is kept as another. */
import { IconTrash } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { visible } from "../../lib/names.ts";
import { readStoredJson, STORAGE, writeStoredJson } from "../../lib/storage.ts";
import { useViewer } from "../../lib/viewer.ts";
import { PlainButton, PlainField } from "../../ui/plain.tsx";
import { PlainDialog } from "../../ui/plain-dialog.tsx";
import { added, filled, type Preset, PRESET_NAME_MOST, presetsOf, variablesOf, withPresets } from "./model/presets.ts";
import styles from "./composer.module.css";
import { ActButton } from "./thread/act-button.tsx";

/** The presets of who is logged in, in this browser. */
function usePresets() {
  const userId = useViewer()?.id ?? 0;
  const [list, setList] = useState(() => presetsOf(readStoredJson(STORAGE.playgroundPresets), userId));
  const change = (next: readonly Preset[]) => {
    setList([...next]);
    writeStoredJson(STORAGE.playgroundPresets, withPresets(readStoredJson(STORAGE.playgroundPresets), userId, next));
  };
  return { list, change };
}

/** A field for each place of the chosen preset. */
function Places({ preset, onUse }: { preset: Preset; onUse: (text: string) => void }) {
  const { t } = useTranslation("playground");
  const names = variablesOf(preset.text);
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  return (
    <form
      className={styles.places}
      onSubmit={(event) => {
        event.preventDefault();
        onUse(filled(preset.text, values));
      }}
    >
      {names.map((name, index) => (
        <PlainField
          key={name}
          label={visible(name)}
          autoFocus={index === 0}
          value={values[name] ?? ""}
          onChange={({ currentTarget: { value } }) => setValues((old) => ({ ...old, [name]: value }))}
        />
      ))}
      <PlainButton look="filled" type="submit">
        {t("presets.use")}
      </PlainButton>
    </form>
  );
}

/** Keeps what stands in the prompt box. */
function Keep({ text, onKeep }: { text: string; onKeep: (preset: Preset) => void }) {
  const { t } = useTranslation("playground");
  const [name, setName] = useState("");
  if (text.trim() === "") return <p className={styles.presetHint}>{t("presets.hint", { example: "{{language}}" })}</p>;
  return (
    <form
      className={styles.places}
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() === "") return;
        onKeep({ name: name.trim(), text });
        setName("");
      }}
    >
      <PlainField
        label={t("presets.name")}
        maxLength={PRESET_NAME_MOST}
        value={name}
        hint={t("presets.keepHint", { example: "{{language}}" })}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <PlainButton type="submit">{t("presets.keep")}</PlainButton>
    </form>
  );
}

export function PresetsDialog({
  text,
  onUse,
  onClose,
}: {
  /** What stands in the prompt box. */
  text: string;
  onUse: (text: string) => void;
  onClose: () => void;
}) {
  const { t } = useTranslation("playground");
  const { list, change } = usePresets();
  const [chosen, setChosen] = useState<Preset>();
  const choose = (preset: Preset) => {
    if (variablesOf(preset.text).length === 0) onUse(preset.text);
    else setChosen(preset);
  };
  return (
    <PlainDialog title={t("presets.title")} close={t("presets.close")} onClose={onClose}>
      {list.length === 0 && <p className={styles.presetHint}>{t("presets.none")}</p>}
      <ul className={styles.presets}>
        {list.map((preset) => (
          <li key={preset.name}>
            <button type="button" aria-pressed={preset.name === chosen?.name} onClick={() => choose(preset)}>
              {visible(preset.name)}
            </button>
            <ActButton
              icon={IconTrash}
              label={t("presets.delete", { name: preset.name })}
              onClick={() => change(list.filter(({ name }) => name !== preset.name))}
            />
          </li>
        ))}
      </ul>
      {chosen === undefined ? (
        <Keep text={text} onKeep={(preset) => change(added(list, preset))} />
      ) : (
        <Places key={chosen.name} preset={chosen} onUse={onUse} />
      )}
    </PlainDialog>
  );
}
