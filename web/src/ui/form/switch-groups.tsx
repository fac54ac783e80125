/** Switches in named groups, side by side where there is room. */
import { Toggle } from "./fields.tsx";
import styles from "./switch-groups.module.css";

export interface SwitchEntry {
  id: string;
  label: string;
  isOn: boolean;
  isDisabled?: boolean;
  onChange: (isOn: boolean) => void;
}

export interface SwitchGroup {
  id: string;
  label: string;
  entries: readonly SwitchEntry[];
}

/** @example <SwitchGroups groups={[{ id: "console", label: t("console"), entries: [{ id: "log", label: t("log"), isOn, onChange }] }]} /> */
export function SwitchGroups({ groups }: { groups: readonly SwitchGroup[] }) {
  return (
    <div className={styles.groups}>
      {groups.map(({ id, label, entries }) => (
        <fieldset key={id} className={styles.group}>
          <legend>{label}</legend>
          {entries.map((entry) => (
            <Toggle
              key={entry.id}
              label={entry.label}
              isOn={entry.isOn}
              isDisabled={entry.isDisabled ?? false}
              onChange={entry.onChange}
            />
          ))}
        </fieldset>
      ))}
    </div>
  );
}
