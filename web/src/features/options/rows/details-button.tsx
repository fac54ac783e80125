/** The button beside an option's label that opens what else there is to know about it. */
import { Popover } from "@mantine/core";
import { IconDots } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import type { OptionField } from "../draft/settings.ts";
import styles from "./details.module.css";

const Details = lazy(async () => ({ default: (await import("./details.tsx")).Details }));

export function DetailsButton({ field, label }: { field: OptionField; label: string }) {
  const { t } = useTranslation("options");
  const [isOpen, setIsOpen] = useState(false);
  const name = t("details.open", { label });
  return (
    <Popover opened={isOpen} onChange={setIsOpen} position="bottom-start" width={360} trapFocus returnFocus>
      <Popover.Target>
        <button
          type="button"
          className={styles.button}
          aria-label={name}
          title={name}
          onClick={() => setIsOpen(!isOpen)}
        >
          <IconDots size={15} stroke={1.5} aria-hidden />
        </button>
      </Popover.Target>
      <Popover.Dropdown className={styles.place ?? ""} aria-label={name}>
        <Suspense fallback={<div className={styles.waiting} />}>
          {isOpen && <Details field={field} onClose={() => setIsOpen(false)} />}
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}
