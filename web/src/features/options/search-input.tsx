/** The search field over all settings; the search itself is in setting-search.tsx. */
import { TextInput, type TextInputProps } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useTranslation } from "../../lib/i18n.ts";
import styles from "./setting-search.module.css";

export function SearchInput(props: TextInputProps) {
  const { t } = useTranslation("options");
  return (
    <TextInput
      size="xs"
      className={styles.search ?? ""}
      type="search"
      aria-label={t("search.label")}
      placeholder={t("search.label")}
      leftSection={<IconSearch size={15} stroke={1.5} aria-hidden />}
      {...props}
    />
  );
}
