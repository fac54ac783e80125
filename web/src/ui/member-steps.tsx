/** Missing steps of a new member, above the dashboard and the tokens: a balance, a token, a call. It goes once all is done, or when it is put away. */
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { getOwnFirstSteps, type OwnFirstSteps } from "../../../contract/src/features/dashboard.ts";
import { call } from "../lib/api.ts";
import { loadTexts, useTranslation } from "../lib/i18n.ts";
import { readStored, type StorageKey, writeStored } from "../lib/storage.ts";
import { useIsAdmin, viewer } from "../lib/viewer.ts";
import { StepsCard } from "./feedback/steps-card.tsx";

const STEPS = [
  { name: "balance", isDone: ({ has_balance }: OwnFirstSteps) => has_balance, to: "/topup", search: {} },
  { name: "token", isDone: ({ has_token }: OwnFirstSteps) => has_token, to: "/token", search: { open: "create" } },
  { name: "call", isDone: ({ has_call }: OwnFirstSteps) => has_call, to: "/connect", search: {} },
] as const;

/** Not the key of the list for administrators: who becomes one sees that list. */
const keyOf = (userId: number): StorageKey => `member_steps:${userId}`;

const memberStepsQuery = (isAsked: boolean) =>
  queryOptions({
    // Among the tokens: what changes them asks again.
    queryKey: ["tokens", "first steps"],
    queryFn: async ({ signal }) => {
      const steps = await call(getOwnFirstSteps, { signal });
      await loadTexts("member-steps");
      return steps;
    },
    refetchOnWindowFocus: "always",
    refetchOnMount: "always",
    enabled: isAsked,
  });

/** Nothing for administrators, who have a list of their own, and nothing once the steps were done in this browser. */
export function MemberSteps({ className }: { className?: string | undefined }) {
  const { t } = useTranslation("member-steps");
  const isAdmin = useIsAdmin();
  const key = keyOf(viewer()?.id ?? 0);
  const [isAway, setIsAway] = useState(() => readStored(key) !== null);
  const isAsked = !isAdmin && !isAway;
  const { data } = useQuery(memberStepsQuery(isAsked));
  const isOver = data !== undefined && STEPS.every(({ isDone }) => isDone(data));
  useEffect(() => {
    // Once all is done, no more requests are needed.
    if (isOver) writeStored(key, "done");
  }, [isOver, key]);
  if (!isAsked || isOver || data === undefined) return null;
  const putAway = () => {
    writeStored(key, "away");
    setIsAway(true);
  };
  const steps = STEPS.map(({ name, isDone, to, search }) => ({
    name,
    isDone: isDone(data),
    title: t(`${name}.title`),
    text: t(`${name}.text`),
    button: t(`${name}.button`),
    to,
    search,
  }));
  const words = {
    done: (done: number, count: number) => t("done", { done, count }),
    isDone: t("isDone"),
    away: t("away"),
  };
  return (
    <div className={className}>
      <StepsCard title={t("title")} steps={steps} words={words} onAway={putAway} />
    </div>
  );
}
