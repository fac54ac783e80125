/** The bar above the console while an administrator sees it as another user: whose view it is, until when, and the way out. */
import { useEffect, useEffectEvent, useState } from "react";
import { endSeeing } from "../../../../contract/src/people.ts";
import { call } from "../../lib/api.ts";
import { formatClock } from "../../lib/format.ts";
import { loadTexts, useTranslation } from "../../lib/i18n.ts";
import { apart } from "../../lib/names.ts";
import { setViewer, useViewer, type Viewer } from "../../lib/viewer.ts";
import { toast } from "../../ui/feedback/toast-store.ts";
import { PlainButton } from "../../ui/plain.tsx";
import styles from "./seeing-bar.module.css";

/** The longest a timer of browsers can wait. */
const TIMER_MAX_MS = 2_147_483_647;

/** A view lasts a quarter of an hour, and the bar says its minute. */
const SECONDS = /:\d\d$/;

/** Back to the administrator. Where the server cannot be reached the view stays, and says so. */
async function end(shown: Viewer): Promise<void> {
  setViewer(shown.seen?.by);
  try {
    await call(endSeeing, {});
    location.assign(`/user/${shown.id}`);
  } catch (error) {
    setViewer(shown);
    toast.error(error);
  }
}

function SeeingBar() {
  const { t } = useTranslation("users.see");
  const shown = useViewer();
  const [isEnding, setIsEnding] = useState(false);
  const until = shown?.seen?.until ?? 0;
  const leave = async () => {
    if (shown === null || isEnding) return;
    setIsEnding(true);
    await end(shown);
    setIsEnding(false);
  };
  const onTime = useEffectEvent(() => void leave());
  useEffect(() => {
    const timer = setTimeout(() => onTime(), Math.min(Math.max(0, until * 1000 - Date.now()), TIMER_MAX_MS));
    return () => clearTimeout(timer);
  }, [until]);
  if (shown?.seen === undefined) return null;
  return (
    <div className={styles.bar} role="region" aria-label={t("bar.label")}>
      <span className={styles.text}>
        {t("bar.text", { name: apart(shown.username), time: formatClock(until).replace(SECONDS, "") })}
      </span>
      <PlainButton onClick={() => void leave()} isBusy={isEnding}>
        {t("bar.end")}
      </PlainButton>
    </div>
  );
}

/** The bar, once its texts are there. */
export async function loadBar(): Promise<typeof SeeingBar> {
  await loadTexts("users.see");
  return SeeingBar;
}
