/** Missing steps of a new site, for administrators: an upstream, a token, a call. Stays until all is done or it is dismissed. */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import type { FirstSteps } from "../../../../contract/src/features/dashboard.ts";
import { readStored, type StorageKey, writeStored } from "../../lib/storage.ts";
import { useIsAdmin, viewer } from "../../lib/viewer.ts";
import { StepsCard } from "../../ui/feedback/steps-card.tsx";
import { firstStepsQuery } from "./queries.ts";

const STEPS = [
  { name: "upstream", isDone: ({ has_channel }: FirstSteps) => has_channel, to: "/channel/add" },
  { name: "token", isDone: ({ has_token }: FirstSteps) => has_token, to: "/token", search: { open: "create" } },
  { name: "call", isDone: ({ has_call }: FirstSteps) => has_call, to: "/connect" },
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
  return (
    <StepsCard
      title={t("steps.title")}
      steps={STEPS.map((step) => ({
        name: step.name,
        isDone: step.isDone(steps),
        title: t(`steps.${step.name}.title`),
        text: t(`steps.${step.name}.text`),
        button: t(`steps.${step.name}.button`),
        to: step.to,
        search: "search" in step ? step.search : {},
      }))}
      words={{
        done: (done, count) => t("steps.done", { done, count }),
        isDone: t("steps.isDone"),
        away: t("steps.away"),
      }}
      onAway={onAway}
    />
  );
}
