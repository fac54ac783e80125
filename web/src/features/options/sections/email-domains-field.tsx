/** The list of email domains: one is typed and added by Enter, and nothing is stored before the page is saved. */
import { Button, TextInput } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { isEmailDomain } from "../../../../../contract/src/options/email-domain.ts";
import { FieldError } from "../../../ui/form/fields.tsx";
import { unlessOff } from "../../../ui/plain.tsx";
import type { FieldProps } from "../draft/settings.ts";
import styles from "./email-domains.module.css";

const domainsOf = (text: string): string[] => text.split(",").filter((domain) => domain !== "");

/** Why a domain cannot be added; undefined where it can. */
const problemOf = (domain: string, known: readonly string[]): "format" | "duplicate" | undefined => {
  if (!isEmailDomain(domain)) return "format";
  return known.includes(domain) ? "duplicate" : undefined;
};

function Domain({ name, onRemove }: { name: string; onRemove: () => void }) {
  const { t } = useTranslation("options");
  return (
    <li className={styles.domain}>
      {name}
      <button type="button" aria-label={t("domains.remove", { name })} onClick={onRemove}>
        <IconX size={13} stroke={1.5} aria-hidden />
      </button>
    </li>
  );
}

export function EmailDomainsField({ field, id, describedBy }: FieldProps) {
  const { t } = useTranslation("options");
  const input = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState("");
  const [problem, setProblem] = useState<"format" | "duplicate">();
  const domains = domainsOf(field.text);
  const add = () => {
    const domain = typed.trim().toLowerCase().replace(/^@/, "");
    const found = problemOf(domain, domains);
    setProblem(found);
    if (found !== undefined) return;
    field.set([...domains, domain].join(","));
    setTyped("");
  };
  const remove = (name: string) => {
    field.set(domains.filter((each) => each !== name).join(","));
    input.current?.focus();
  };
  return (
    <div className={styles.place}>
      {domains.length > 0 && (
        <ul className={styles.domains}>
          {domains.map((name) => (
            <Domain key={name} name={name} onRemove={() => remove(name)} />
          ))}
        </ul>
      )}
      <div className={styles.adding}>
        <TextInput
          ref={input}
          id={id}
          aria-describedby={describedBy}
          className={styles.input ?? ""}
          placeholder="example.org"
          autoComplete="off"
          spellCheck={false}
          value={typed}
          error={problem !== undefined || field.problem !== undefined}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            setProblem(undefined);
          }}
          // Saving would drop what was typed but not added.
          onBlur={() => {
            if (typed.trim() !== "") add();
          }}
          onKeyDown={(event) => {
            // Enter without a domain saves, as it does in every field.
            if (event.key !== "Enter" || event.nativeEvent.isComposing || typed.trim() === "") return;
            event.preventDefault();
            add();
          }}
        />
        <Button {...unlessOff(typed.trim() === "", add)}>{t("domains.add")}</Button>
      </div>
      <FieldError error={problem === undefined ? undefined : t(`domains.${problem}`)} />
    </div>
  );
}
