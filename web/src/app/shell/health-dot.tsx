/** The mark at 'Health' in the navigation while something is degraded; for administrators who may see channels. */
import { useQuery } from "@tanstack/react-query";
import { getDegradedHealth } from "../../../../contract/src/features/health.ts";
import { call } from "../../lib/api.ts";
import { useMay } from "../../lib/viewer.ts";
import styles from "./side-bar.module.css";

/** Every open page of an administrator asks. */
const AGAIN_EVERY_MS = 120_000;

/**
 * Whether something is degraded. Where the server could not be asked the mark stays as it was.
 * @param isOn whether there is an entry to mark
 */
export function useIsDegraded(isOn: boolean): boolean {
  const mayAsk = useMay("channels_see");
  const { data } = useQuery({
    // Under the head of the queries of channels: a change of channels has it asked anew.
    queryKey: ["channels", "degraded"],
    queryFn: ({ signal }) => call(getDegradedHealth, { signal }),
    refetchInterval: AGAIN_EVERY_MS,
    staleTime: AGAIN_EVERY_MS / 2,
    enabled: isOn && mayAsk,
  });
  return data?.is_degraded === true;
}

export const HealthDot = () => <span className={styles.degraded} data-degraded aria-hidden />;
