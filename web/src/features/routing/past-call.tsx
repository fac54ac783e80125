/** Where a past call went and why no further, from what its log row kept; and the same question asked now. */
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { PastRoute } from "../../../../contract/src/features/routing.ts";
import { formatDurationMs } from "../../lib/format.ts";
import { visible } from "../../lib/names.ts";
import { Time } from "../../ui/display/time.tsx";
import { ChannelName } from "./channel-name.tsx";
import { Refusal } from "./explanation.tsx";
import { OutList } from "./out-list.tsx";
import styles from "./routing.module.css";
import type { RoutingSearch } from "./route.ts";

/** The same call as a question. */
const questionOf = ({ model, user, token, group }: PastRoute): RoutingSearch => ({
  model: model === "" ? undefined : model,
  user: token === null ? user.username : undefined,
  token: token?.id,
  group: token === null && group !== "" ? group : undefined,
});

function Tried({ tried }: Pick<PastRoute, "tried">) {
  const { t } = useTranslation("routing");
  return (
    <section>
      <h2 className={styles.heading}>{t("past.tried")}</h2>
      {tried.length === 0 && <p className={styles.hint}>{t("past.none")}</p>}
      <ol className={styles.outs}>
        {tried.map(({ id, name, ms, reason, status }, place) => (
          <li key={`${place} ${id}`} className={styles.outRow}>
            <span className={styles.name}>
              <span className={styles.place}>{place + 1}</span>
              <ChannelName id={id} name={name} />
            </span>
            <span className={styles.reason}>
              {status > 0 && <b className="number">{status}</b>}{" "}
              {reason === "" ? t("past.answered") : <bdi>{visible(reason)}</bdi>}{" "}
              <span className={styles.quiet}>{formatDurationMs(ms)}</span>
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

export function PastCall({ past }: { past: PastRoute }) {
  const { t } = useTranslation("routing");
  const question = questionOf(past);
  return (
    <div className={styles.answer}>
      <p className={styles.summary}>
        <b>{visible(past.model)}</b>
        {past.group !== "" && <span>{t("inGroup", { group: past.group })}</span>}
        <span>{t("asUser", { name: past.user.username })}</span>
        {past.token !== null && <span>{t("withToken", { name: past.token.name })}</span>}
        <Time atS={past.created_at} as="full" />
      </p>
      {past.refusal !== null && <Refusal refusal={past.refusal} />}
      <Tried tried={past.tried} />
      <OutList out={past.out} total={past.out_total} />
      {question.model !== undefined && (
        <Link className={styles.now ?? ""} to="/channel/route" search={question}>
          {t("past.now")}
        </Link>
      )}
    </div>
  );
}
