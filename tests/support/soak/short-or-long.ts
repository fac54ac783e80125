/** Whether tests run in the short form of `npm test`, or in the long one of `npm run test:long`. */

export const IS_LONG = process.env["TEST_FORM"] === "long";

/** How often a property is tried: so often in the short form, ten times that in the long one. */
export const runs = (count: number): number => (IS_LONG ? count * 10 : count);
