/** The page that another site redirects back to: sends its code to the server once, and leads on from there. */
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { useTranslation } from "../../lib/i18n.ts";
import { ApiError, call } from "../../lib/api.ts";
import { takeNext } from "../../ui/identities/ways.ts";
import { useStatus } from "../../lib/status.ts";
import { useViewer } from "../../lib/viewer.ts";
import { describeError } from "../../ui/feedback/describe-error.ts";
import { Notice } from "../../ui/feedback/notice.tsx";
import { toast } from "../../ui/feedback/toast-store.ts";
import { buttonLook, Spinner } from "../../ui/plain.tsx";
import { type LoginAnswer, useEnter } from "./enter.ts";
import { EntryPage } from "./entry-page.tsx";
import styles from "./page.module.css";

/** Comes only to accounts that have one. */
const SecondStep = lazy(async () => ({ default: (await import("./second-step.tsx")).SecondStep }));

/** How long a failure stays before the page leads on by itself. */
const READING_MS = 6_000;

/** The server's answer: the user who signed in, or undefined where an identity was bound. */
interface Outcome {
  answer: LoginAnswer | undefined;
}

/** The request of each state: drawn twice, it is sent once. */
const sent = new Map<string, Promise<Outcome>>();

async function send(provider: string, query: Readonly<Record<string, string>>): Promise<Outcome> {
  const api = await import("../../../../contract/src/features/identities.ts");
  if (provider !== "telegram") return { answer: await call(api.finish, { params: { type: provider }, body: query }) };
  const { bind, ...body } = query;
  // Programs may sign in without a state; a link from anywhere may not.
  const fields = { hash: "", id: "", auth_date: "", state: "none", ...body };
  if (bind !== "true") return { answer: await call(api.telegramSignInByPost, { body: fields }) };
  await call(api.telegramBindByPost, { body: fields });
  return { answer: undefined };
}

function sendOnce(provider: string, search: string): Promise<Outcome> {
  const key = provider + search;
  const known = sent.get(key) ?? send(provider, Object.fromEntries(new URLSearchParams(search)));
  sent.set(key, known);
  return known;
}

/** How the sign-in of this address ended; both undefined while it is under way. */
function useSent(provider: string): { outcome: Outcome | undefined; failure: unknown } {
  // The address as it was when the page opened: it changes before the page is gone.
  const [search] = useState(() => location.search);
  const [ended, setEnded] = useState<{ outcome: Outcome | undefined; failure: unknown }>();
  useEffect(() => {
    let isGone = false;
    sendOnce(provider, search).then(
      (outcome) => isGone || setEnded({ outcome, failure: undefined }),
      (failure: unknown) => isGone || setEnded({ outcome: undefined, failure }),
    );
    return () => {
      isGone = true;
    };
  }, [provider, search]);
  return ended ?? { outcome: undefined, failure: undefined };
}

/** Goes on from a good end, once; waits where the account has a second step. */
function useOnward(outcome: Outcome | undefined): (answer: LoginAnswer) => Promise<void> {
  const { t } = useTranslation("sessions");
  const navigate = useNavigate();
  const enter = useEnter();
  const isDone = useRef(false);
  const goIn = (answer: LoginAnswer) => enter(answer, takeNext());
  useEffect(() => {
    if (outcome === undefined || isDone.current || outcome.answer?.require_second_factor === true) return;
    isDone.current = true;
    if (outcome.answer !== undefined) return void goIn(outcome.answer);
    toast.success(t("oauth.bound"));
    void navigate({ href: "/personal/security", replace: true });
  });
  return goIn;
}

/** Why it failed, as a sentence. */
function useReason(failure: unknown): string | undefined {
  const { t } = useTranslation("sessions");
  if (failure === undefined) return undefined;
  const isStale = failure instanceof ApiError && failure.code === "oauth_state_invalid";
  return isStale ? t("oauth.stale") : describeError(failure).message;
}

/** The failure, and the way on, which is taken by itself after a while. */
function Failed({ reason }: { reason: string }) {
  const { t } = useTranslation("sessions");
  const navigate = useNavigate();
  // Who wanted to bind is logged in, and goes back to where the button is.
  const goal = useViewer() === null ? "/login" : "/personal/security";
  useEffect(() => {
    const timer = setTimeout(() => void navigate({ href: goal, replace: true }), READING_MS);
    return () => clearTimeout(timer);
  }, [goal, navigate]);
  return (
    <>
      <Notice tone="red">{reason}</Notice>
      <p className={styles.text}>{goal === "/login" ? t("oauth.toLogin") : t("oauth.toPersonal")}</p>
      <Link to={goal} replace {...buttonLook("filled", true)}>
        {goal === "/login" ? t("oauth.logIn") : t("oauth.personal")}
      </Link>
    </>
  );
}

export function OauthPage() {
  const { t } = useTranslation("sessions");
  const navigate = useNavigate();
  const { provider } = useParams({ from: "/open/oauth/$provider" });
  const { outcome, failure } = useSent(provider);
  const goIn = useOnward(outcome);
  const reason = useReason(failure);
  const first = outcome?.answer?.require_second_factor === true ? outcome.answer : undefined;
  const { system_name } = useStatus();
  const working = first === undefined ? t("oauth.processing") : t("title", { name: system_name });
  const heading = reason === undefined ? working : t("oauth.failed");
  return (
    <EntryPage name={t("oauth.title")} title={heading}>
      {reason !== undefined && <Failed reason={reason} />}
      {first !== undefined && (
        <Suspense fallback={<div className={styles.ghost} aria-busy />}>
          <SecondStep first={first} onLogin={goIn} onBack={() => void navigate({ href: "/login", replace: true })} />
        </Suspense>
      )}
      {reason === undefined && first === undefined && (
        <p className={styles.waiting} role="status">
          <Spinner />
          {t("oauth.wait")}
        </p>
      )}
    </EntryPage>
  );
}
