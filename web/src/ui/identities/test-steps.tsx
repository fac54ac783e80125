/** The steps of a test of settings, as text, with the other side's answer. Its texts come with the settings page. */
import { IconCheck, IconInfoCircle, IconX } from "@tabler/icons-react";
import { useTranslation } from "../../lib/i18n.ts";
import type { OptionTestStep } from "../../../../contract/src/options/option-tests.ts";
import styles from "./test-steps.module.css";

function Step({ step, is_passed: isPassed, reason, answer }: OptionTestStep) {
  const { t } = useTranslation("options");
  // The address is shown to be compared: whether it is registered at the other site only a person sees.
  const isShown = step === "redirect";
  const Icon = isShown ? IconInfoCircle : isPassed ? IconCheck : IconX;
  // How many pages a search found is a part of its sentence.
  const found = isPassed && step === "search" ? { count: Number(answer) } : {};
  const why = isPassed
    ? t(`optionTest.passedBy.${step}`, { defaultValue: t("optionTest.passed"), ...found })
    : t(`optionTest.reasons.${reason}`, { defaultValue: t("optionTest.reasons.other") });
  // Where the other side was silent, what stands for its answer is our own sentence again, in English.
  const isOfTheirs = answer !== "" && found.count === undefined && reason !== "timed_out";
  return (
    <li className={styles.step} data-is-passed={isShown ? "shown" : isPassed}>
      <Icon size={16} stroke={1.75} aria-hidden />
      <span>
        {/* Chinese has its own colon, without a space. */}
        <b>{t(`optionTest.steps.${step}`)}</b>
        {why}
        {isOfTheirs && <span className={styles.answer}>{answer}</span>}
      </span>
    </li>
  );
}

export const TestSteps = ({ steps }: { steps: readonly OptionTestStep[] }) => (
  <ul className={styles.steps}>
    {steps.map((step) => (
      <Step key={step.step} {...step} />
    ))}
  </ul>
);
