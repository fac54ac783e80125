/** The channels that a call would use now: by tier with their chances, the other conditions, and the excluded channels with reasons. */
import { IconAlertTriangle } from "@tabler/icons-react";
import { useTranslation } from "../../lib/i18n.ts";
import type {
  RouteCandidate,
  RouteExplanation,
  RouteOut,
  RouteStep,
} from "../../../../contract/src/features/routing.ts";
import { formatClock, formatDurationMs, formatNumber } from "../../lib/format.ts";
import { StatusDot, Tag } from "../../ui/display/tags.tsx";
import { EnableButton } from "./enable.tsx";
import styles from "./routing.module.css";
import { Link } from "@tanstack/react-router";
import { visible } from "../../lib/names.ts";
import { sentences } from "../../lib/translate.ts";
import { Name } from "../../ui/display/name.tsx";
import { ProviderMark } from "../../ui/display/provider-mark.tsx";

interface OutListProps {
  out: readonly RouteOut[];
  total: number;
  /** The reasons are of this moment, so that those who may can enable what is disabled. */
  isNow?: boolean;
}

/** The excluded channels, each with its reason, those nearest to the call first. */
export function OutList({ out, total, isNow = false }: OutListProps) {
  const { t } = useTranslation("routing");
  const reasonText = useReasonText();
  if (out.length === 0) return null;
  return (
    <section>
      <h2 className={styles.heading}>
        {t("out")} <span className={styles.quiet}>{t("channels", { count: total })}</span>
      </h2>
      <ul className={styles.outs}>
        {out.map((each) => (
          <li key={each.id} className={styles.outRow}>
            <span className={styles.name}>
              <ChannelName {...each} />
            </span>
            <span className={styles.reason}>
              {reasonText(each.reason)}
              {isNow && each.reason.code === "disabled" && <EnableButton out={each} />}
            </span>
          </li>
        ))}
      </ul>
      {total > out.length && <p className={styles.hint}>{t("more", { count: total - out.length })}</p>}
    </section>
  );
}

/** A channel by mark, number and name, as the link to its drawer. */
export const ChannelName = ({ id, name, type }: { id: number; name: string; type?: number }) => (
  <>
    {type !== undefined && <ProviderMark type={type} size={16} />}
    <Link to="/channel/edit/$id" params={{ id: String(id) }} className={styles.link ?? ""} title={visible(name)}>
      #{id} <Name text={name} />
    </Link>
  </>
);

/** The text for the reason why a channel is not tried, the same as in receipts. */
function useReasonText(): (reason: RouteOut["reason"]) => string {
  const { t } = useTranslation("logs");
  return ({ code, values }) => t(`skip.${code}`, { ...values });
}

/** "40 %"; what is more than nothing never reads 0. */
const percentOf = (share: number): string => (share > 0 && share < 0.01 ? "<1%" : `${Math.round(share * 100)}%`);

/** Why a call would be refused, as its caller reads it. */
export function Refusal({ refusal }: { refusal: NonNullable<RouteExplanation["refusal"]> }) {
  const { t } = useTranslation("routing");
  return (
    <p className={styles.refusal} role="status">
      <IconAlertTriangle size={15} stroke={1.5} aria-hidden />
      <span>
        {t("refused", { status: refusal.status, code: refusal.code })}
        <q>{refusal.message}</q>
      </span>
    </p>
  );
}

function Candidate({ candidate }: { candidate: RouteCandidate }) {
  const { t } = useTranslation("routing");
  const reasonText = useReasonText();
  const { chance, weight, open_calls: open, latency_ms: latency, resting, resting_until_ms: until } = candidate;
  return (
    <li className={styles.candidate}>
      <span className={styles.name}>
        <ChannelName {...candidate} />
      </span>
      <span className={styles.chance}>
        <span className={styles.track} aria-hidden>
          <span className={styles.fill} style={{ inlineSize: `${chance * 100}%` }} />
        </span>
        <b className="number">{percentOf(chance)}</b>
      </span>
      <span className={styles.facts}>
        {t("weight", { weight: formatNumber(weight) })}
        {open > 0 && <span>{t("openCalls", { count: open })}</span>}
        {latency !== null && <span>{t("latency", { time: formatDurationMs(latency) })}</span>}
        {resting !== null && (
          <StatusDot tone="amber">
            {until === null
              ? reasonText(resting)
              : t("until", { reason: reasonText(resting), time: formatClock(until / 1000) })}
          </StatusDot>
        )}
      </span>
    </li>
  );
}

function Step({
  step: { group, priority, channels },
  place,
  isReached,
  hasGroups,
}: {
  step: RouteStep;
  place: number;
  isReached: boolean;
  hasGroups: boolean;
}) {
  const { t } = useTranslation("routing");
  const isResting = channels.every(({ resting }) => resting !== null);
  return (
    <li className={styles.step} data-is-reached={isReached || undefined}>
      <h3 className={styles.stepTitle}>
        <span className={styles.place}>{place}</span>
        {t("priority", { priority: formatNumber(priority) })}
        {hasGroups && <Tag tone="outline">{t("inGroup", { group: visible(group) })}</Tag>}
        {isResting && <Tag tone="amber">{t("onlyIfNoOther")}</Tag>}
        {!isReached && <span className={styles.quiet}>{t("notReached")}</span>}
      </h3>
      <ul className={styles.candidates}>
        {channels
          .toSorted((left, right) => right.chance - left.chance)
          .map((candidate) => (
            <Candidate key={candidate.id} candidate={candidate} />
          ))}
      </ul>
    </li>
  );
}

const channelsBefore = (steps: readonly RouteStep[], place: number): number =>
  steps.slice(0, place).reduce((sum, { channels }) => sum + channels.length, 0);

/** The other conditions, in sentences. */
function useRules({ choice, explored_share: explored, has_affinity: sticks, max_tries: tries }: RouteExplanation) {
  const { t } = useTranslation("routing");
  return [
    t(`choice.${choice}`),
    ...(explored > 0 ? [t("explored", { share: percentOf(explored) })] : []),
    ...(sticks ? [t("sticks")] : []),
    t("tries", { count: tries }),
  ];
}

export function Explanation({ explanation }: { explanation: RouteExplanation }) {
  const { t } = useTranslation("routing");
  const { steps, refusal, groups, user, token, out, out_total: outTotal, max_tries: tries } = explanation;
  const rules = useRules(explanation);
  return (
    <div className={styles.answer}>
      <p className={styles.summary}>
        {groups.length > 0 && t("inGroups", { count: groups.length, groups: groups.map(visible).join(" → ") })}
        {user !== null && <span>{t("asUser", { name: user.username })}</span>}
        {token !== null && <span>{t("withToken", { name: token.name })}</span>}
      </p>
      {refusal !== null && <Refusal refusal={refusal} />}
      {steps.length > 0 && (
        <section>
          <h2 className={styles.heading}>{t("tried")}</h2>
          <p className={styles.rules}>{sentences(...rules)}</p>
          <ol className={styles.steps}>
            {steps.map((step, place) => (
              <Step
                key={step.channels.map(({ id }) => id).join()}
                step={step}
                place={place + 1}
                isReached={channelsBefore(steps, place) < tries}
                hasGroups={groups.length > 1}
              />
            ))}
          </ol>
        </section>
      )}
      <OutList out={out} total={outTotal} isNow />
    </div>
  );
}
