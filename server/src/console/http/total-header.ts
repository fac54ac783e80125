/** How a bare list says how many rows there are on all its pages. */

/** @example return { data: rows, headers: totalHeader(total) }; */
export const totalHeader = (total: number) => ({ "X-Total-Count": String(total) });
