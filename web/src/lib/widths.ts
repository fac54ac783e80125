/** The widths at which the console changes its shape. */

/** The width at and below which the console is a phone's. */
const PHONE_WIDTH = 600;
/** Below this the side bar starts collapsed. */
export const NARROW_WIDTH = 1100;
export const PHONE_QUERY = `(max-width: ${PHONE_WIDTH}px)`;
