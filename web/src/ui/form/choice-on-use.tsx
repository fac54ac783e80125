/** A ChoiceSelect for pages that must load quickly: a button that looks like it, until it is pressed. */
import { IconChevronDown } from "@tabler/icons-react";
import { type ComponentType, useState } from "react";
import { visible } from "../../lib/names.ts";
import { importPart } from "../feedback/missing-part.ts";
import type { ChoiceSelectProps } from "./choice-select.tsx";
import styles from "./choice-on-use.module.css";
import valueStyles from "./choice-value.module.css";

const load = importPart(() => import("./choice-select.tsx"));

/** @example <ChoiceOnUse label={t("group")} choices={groups} value={group} onChange={setGroup} /> */
export function ChoiceOnUse(props: ChoiceSelectProps) {
  const [Select, setSelect] = useState<ComponentType<ChoiceSelectProps>>();
  if (Select !== undefined) return <Select {...props} isOpenAtFirst />;
  const { choices, value, label = "", labelledBy, id = "", isBare = false } = props;
  const chosen = choices.find((choice) => choice.value === value);
  const text = chosen?.text ?? value;
  const name =
    labelledBy === undefined
      ? { "aria-label": `${label} ${text}`.trim() }
      : { "aria-labelledby": `${labelledBy} ${id}`.trim() };
  return (
    <button
      type="button"
      id={id}
      className={isBare ? valueStyles.bare : styles.field}
      aria-haspopup="listbox"
      aria-expanded={false}
      {...name}
      onClick={() => void load().then((module) => setSelect(() => module.ChoiceSelect))}
    >
      <span className={valueStyles.value}>{chosen?.content ?? visible(text)}</span>
      <IconChevronDown size={isBare ? 14 : 15} stroke={1.5} aria-hidden />
    </button>
  );
}
