/** The breakpoints of the console's layout. */

/** Up to this width the console uses its phone layout. */
const PHONE_WIDTH = 600;
/** Below this width the side bar starts collapsed. */
export const NARROW_WIDTH = 1100;
export const PHONE_QUERY = `(max-width: ${PHONE_WIDTH}px)`;
