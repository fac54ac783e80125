/** Fields that can be read and not changed: all of them are disabled at once, and what would only change them is not shown. */
import { createContext, type ReactNode, useContext } from "react";
import styles from "./locked-fields.module.css";

const Locked = createContext(false);

/** Whether the fields around can only be read: for parts that would offer an act, or that are more than an input of the browser. */
export const useIsLocked = (): boolean => useContext(Locked);

/**
 * The fields of a form that may be locked; why they are stands above it, in an element with the id `reason`, which screen readers say with the
 * group. What stays of use in a locked form stands outside.
 */
export function LockedFields({
  isLocked,
  reason,
  children,
}: {
  isLocked: boolean;
  reason?: string;
  children: ReactNode;
}) {
  return (
    <Locked value={isLocked}>
      <fieldset className={styles.fields} disabled={isLocked} aria-describedby={isLocked ? reason : undefined}>
        {children}
      </fieldset>
    </Locked>
  );
}
