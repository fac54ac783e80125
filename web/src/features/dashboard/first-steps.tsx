/** What a new site still needs, for administrators: an upstream, a token, a call. Stays until all is done or it is dismissed. */
import { ActionIcon, Button, Tooltip } from "@mantine/core";
import { IconCheck, IconX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import type { FirstSteps } from "../../../../contract/src/features/dashboard.ts";
import { readStored, type StorageKey, writeStored } from "../../lib/storage.ts";
import { useIsAdmin, viewer } from "../../lib/viewer.ts";
import styles from "./first-steps.module.css";
import { firstStepsQuery } from "./queries.ts";

const STEPS = [
  { name: "upstream", isDone: ({ has_channel }: FirstSteps) => has_channel, to: "/channel/add" },
  { name: "token", isDone: ({ has_token }: FirstSteps) => has_token, to: "/token", search: { open: "create" } },
  { name: "call", isDone: ({ has_call }: FirstSteps) => has_call, to: "/token" },
] as const;

/** Each person puts the list away for themselves. */
const keyOf = (userId: number): StorageKey => `first_steps:${userId}`;

/** The steps to show, if any, and whether that is not known yet. */
export function useFirstSteps() {
  const isAdmin = useIsAdmin();
  const key = keyOf(viewer()?.id ?? 0);
  const [isAway, setIsAway] = useState(() => readStored(key) !== null);
  const isAsked = isAdmin && !isAway;
  const { data, isPending, isError } = useQuery(firstStepsQuery(isAsked));
  const putAway = () => {
    writeStored(key, "away");
    setIsAway(true);
  };
  const isOver = data !== undefined && STEPS.every(({ isDone }) => isDone(data));
  useEffect(() => {
    // Once all is done, no more requests are needed.
    if (isOver) writeStored(key, "done");
  }, [isOver, key]);
  const steps = isAsked && !isOver ? data : undefined;
  // Whether the list is there decides where everything else begins.
  return { steps, putAway, isWaiting: isAsked && isPending && !isError };
}

interface FirstStepsCardProps {
  steps: FirstSteps;
  onAway: () => void;
}

export function FirstStepsCard({ steps, onAway }: FirstStepsCardProps) {
  const { t } = useTranslation("dashboard");
  const done = STEPS.filter(({ isDone }) => isDone(steps)).length;
  const next = STEPS.find(({ isDone }) => !isDone(steps))?.name;
  return (
    <section className={styles.card} aria-labelledby="dashboard-steps">
      <header className={styles.head}>
        <h2 id="dashboard-steps">{t("steps.title")}</h2>
        <span>{t("steps.done", { done, count: STEPS.length })}</span>
        <Tooltip label={t("steps.away")}>
          <ActionIcon variant="subtle" size={28} aria-label={t("steps.away")} onClick={onAway}>
            <IconX size={15} stroke={1.5} />
          </ActionIcon>
        </Tooltip>
      </header>
      <ol className={styles.steps}>
        {STEPS.map((step, index) => {
          const isDone = step.isDone(steps);
          return (
            <li key={step.name} data-is-done={isDone || undefined}>
              <span className={styles.mark} aria-hidden>
                {isDone ? <IconCheck size={14} stroke={2} /> : index + 1}
              </span>
              <div className={styles.words}>
                <b>{t(`steps.${step.name}.title`)}</b>
                {isDone && <span className={styles.hidden}>{t("steps.isDone")}</span>}
                <p>{t(`steps.${step.name}.text`)}</p>
              </div>
              {!isDone && (
                <Link to={step.to} search={("search" in step ? step.search : {}) as never}>
                  <Button component="span" variant={step.name === next ? "filled" : "default"}>
                    {t(`steps.${step.name}.button`)}
                  </Button>
                </Link>
              )}
            </li>
          );
        })}
      </ol>
    </section>
  );
}
