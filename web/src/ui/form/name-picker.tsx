/** Several names of a list, found by typing: Enter takes the first suggestion, and text that was not added stops the form. */
import { MultiSelect, type MultiSelectProps } from "@mantine/core";
import { useRef, useState } from "react";
import { usePendingText } from "./pending-text.ts";

type NamePickerProps = Omit<
  MultiSelectProps<string>,
  "searchable" | "searchValue" | "onSearchChange" | "selectFirstOptionOnChange" | "clearSearchOnChange"
>;

/** @example <NamePicker label={t("models")} data={names} value={models} onChange={setModels} /> */
export function NamePicker({ error, onFocus, onBlur, ...rest }: NamePickerProps) {
  const [typed, setTyped] = useState("");
  const leftOver = usePendingText(typed);
  const isLeaving = useRef(false);
  return (
    <MultiSelect<string>
      {...rest}
      error={leftOver ?? error}
      searchable
      clearSearchOnChange
      hidePickedOptions
      // Not while nothing is typed: a second Enter would add a name that was not asked for.
      selectFirstOptionOnChange={typed.trim() !== ""}
      searchValue={typed}
      onSearchChange={(text) => {
        // Mantine empties the box on blur; the user would not notice that the text was dropped.
        if (!isLeaving.current) setTyped(text);
      }}
      onFocus={(event) => {
        isLeaving.current = false;
        onFocus?.(event);
      }}
      onBlur={(event) => {
        isLeaving.current = true;
        onBlur?.(event);
      }}
    />
  );
}
